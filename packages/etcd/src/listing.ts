import { PAGE_SIZE } from "@dt/core/ledger";
import type { NamePage } from "@dt/core/store";
import type { Driver } from "./driver.ts";
import { allGroups, nameOf } from "./keys.ts";

/** Keys read for a page of groups. A group has some ten and four for each member, which lie together. */
const KEYS_READ = 1_000;

/**
 * One page of groups, in one request: the groups of the next keys. The page after it begins behind all keys of the last
 * of them, however many they are.
 * @param after where the page begins: a group as its keys write it
 */
export async function listGroups(driver: Driver, prefix: string, after: string): Promise<NamePage> {
  const all = allGroups(prefix);
  // "0" is the character after the slash that every key of the group has there.
  const keys = await driver.page(all, after === "" ? all : `${all}${after}0`, KEYS_READ);
  const encoded = [...new Set(keys.map((key) => key.slice(all.length).split("/", 1)[0] as string))];
  const names = encoded.flatMap((name) => nameOf(name) ?? []);
  const last = encoded.at(-1);
  return { names, next: keys.length < KEYS_READ ? undefined : last };
}

/**
 * One page of what is one key of etcd each, in one request.
 * @param all what all these keys begin with
 * @param after where the page begins: the name as its key writes it
 * @param read the name that is written so in a key; undefined where it is none of this store's
 */
export async function listKeys(
  driver: Driver,
  all: string,
  after: string,
  read: (encoded: string) => string | undefined,
): Promise<NamePage> {
  const keys = await driver.page(all, after === "" ? all : `${all}${after}\0`, PAGE_SIZE);
  const encoded = keys.map((key) => key.slice(all.length));
  const names = encoded.flatMap((name) => read(name) ?? []);
  return { names, next: encoded[PAGE_SIZE - 1] };
}

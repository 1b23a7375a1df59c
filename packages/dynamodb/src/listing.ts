import { readCursor, writeCursor } from "@dt/core/ledger";
import type { Driver, Key } from "./driver.ts";
import { LEDGER, ledgersOf, PERMITS, permitsOf } from "./keys.ts";

/** A page of names. */
export interface NamePage {
  readonly names: readonly string[];
  readonly next?: string;
}

/** What is listed: by the beginning of its partition keys, and its sort key. */
const LISTS = {
  groups: { list: "dynamodb groups", begins: ledgersOf, sk: LEDGER },
  keys: { list: "dynamodb keys", begins: permitsOf, sk: PERMITS },
} as const;

/** Where the page of a cursor begins. @throws DtError `DT_INVALID_OPTION` */
export function placeOf(what: keyof typeof LISTS, cursor: string | undefined): Key | undefined {
  const place = readCursor(LISTS[what].list, cursor);
  if (place === "") return undefined;
  const [pk, sk] = JSON.parse(place);
  return { pk, sk };
}

/** One page of names, in one request: DynamoDB has no list of partition keys, so it is a part of the whole table. */
export async function listNames(
  driver: Driver,
  what: keyof typeof LISTS,
  prefix: string,
  from: Key | undefined,
): Promise<NamePage> {
  const { list, begins, sk } = LISTS[what];
  const beginning = begins(prefix);
  const { keys, next } = await driver.scan(beginning, sk, from);
  const names = keys.map(({ pk }) => pk.slice(beginning.length)).filter((name) => name !== "");
  return next ? { names, next: writeCursor(list, JSON.stringify([next.pk, next.sk])) } : { names };
}

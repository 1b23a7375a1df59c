import { nearestName } from "@dt/core/internal";
import type { AnyStore } from "../stores/in-store.ts";
import { allOf, keysOf, listNames } from "./list-names.ts";
import { nameText } from "./name-text.ts";
import type { ReadOptions } from "./read-options.ts";
import { Requests } from "./requests.ts";

/** Names that are compared at most: each costs as much as the product of the lengths. */
const MOST_COMPARED = 2_000;

/** A longer name was not typed. */
const LONGEST_TYPED = 200;

/**
 * That there is no such limiter, and which one may be meant.
 * @throws DtError as the store does
 */
export async function notThere(store: AnyStore, only: NonNullable<ReadOptions["only"]>): Promise<string> {
  const { kind = "limiter", name = "", key } = only;
  const requests = new Requests(undefined);
  const page = keysOf(store, requests);
  const refs = kind === "limiter" || kind === "keyed" ? await allOf(page ?? (async () => ({ items: [] }))) : [];
  const keys = refs.flatMap((ref) => (ref.name === name ? [ref.key] : []));
  if (key !== undefined && keys.length > 0)
    return `nothing is used of the key ${nameText(key)} of the keyed limit ${nameText(name)}${meant(key, keys)}`;
  const named = (await listNames(store, requests)).filter((one) => kind === "limiter" || one.kind === kind);
  const names = [...named, ...refs].map((one) => one.name);
  return `there is no ${kind === "keyed" ? "keyed limit" : kind} ${nameText(name)}${meant(name, names)}`;
}

function meant(name: string, names: readonly string[]): string {
  if (name.length > LONGEST_TYPED) return "";
  const alike = [...new Set(names)].filter(({ length }) => Math.abs(length - name.length) <= name.length / 3 + 1);
  const nearest = nearestName(name, alike.slice(0, MOST_COMPARED));
  return nearest === undefined ? "" : `; did you mean ${nameText(nearest)}?`;
}

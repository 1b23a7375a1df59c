import type { NamedKind, NamePage } from "@dt/core/store";
import type { Driver, Key } from "./driver.ts";
import { BUDGET, budgetsOf, LEDGER, ledgersOf, PERMITS, permitsOf } from "./keys.ts";

/** What is listed: by the beginning of its partition keys, and its sort key. */
const LISTS = {
  group: { begins: ledgersOf, sk: LEDGER },
  permits: { begins: permitsOf, sk: PERMITS },
  budget: { begins: budgetsOf, sk: BUDGET },
  keyed: { begins: budgetsOf, sk: BUDGET },
} as const;

/**
 * One page of names, in one request: DynamoDB has no list of partition keys, so it is a part of the whole table. Those
 * who list need `dynamodb:Scan`, which no member does.
 * @param place where the page begins: the key of an item as JSON
 */
export async function listNames(driver: Driver, kind: NamedKind, prefix: string, place: string): Promise<NamePage> {
  const { begins, sk } = LISTS[kind];
  const beginning = begins(prefix);
  const { keys, next } = await driver.scan(beginning, sk, keyIn(place));
  const names = keys.map(({ pk }) => pk.slice(beginning.length)).filter((name) => name !== "");
  return { names, next: next && JSON.stringify([next.pk, next.sk]) };
}

function keyIn(place: string): Key | undefined {
  if (place === "") return undefined;
  const [pk, sk] = JSON.parse(place);
  return { pk, sk };
}

import { bucketName } from "@dt/core/ledger";
import type { NamedKind, NamePage } from "@dt/core/store";
import type { Driver, Key } from "./driver.ts";
import { BUDGET, bucketsOf, budgetsOf, LEDGER, ledgersOf, PERMITS, permitsOf } from "./keys.ts";

/** What is listed: by the beginning of its partition keys, and its sort key, which is a name for buckets. */
const LISTS = {
  group: { begins: ledgersOf, sk: LEDGER },
  permits: { begins: permitsOf, sk: PERMITS },
  budget: { begins: budgetsOf, sk: BUDGET },
  keyed: { begins: bucketsOf, sk: undefined },
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
  const names = keys.flatMap(({ pk, sk: name }) => {
    const rest = pk.slice(beginning.length);
    if (rest === "") return [];
    return kind === "keyed" ? bucketName({ name, key: rest }) : rest;
  });
  return { names, next: next && JSON.stringify([next.pk, next.sk]) };
}

function keyIn(place: string): Key | undefined {
  if (place === "") return undefined;
  const [pk, sk] = JSON.parse(place);
  return { pk, sk };
}

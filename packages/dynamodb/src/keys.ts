import type { CellName } from "@dt/cas";
import type { BucketRef, LimitTarget } from "@dt/core";
import { checkName, invalidOption } from "@dt/core/ledger";
import type { Key } from "./driver.ts";

/** Where a group lives in the table. */
export interface GroupKeys {
  /** The whole ledger. */
  readonly ledger: Key;
  /** Generation, agreement, group time: what is read with every heartbeat. */
  readonly head: Key;
  /** The partition key of all heartbeats. */
  readonly beats: string;
  beatOf(incarnation: string): Key;
}

/** The longest prefix in UTF-8 bytes: with a group's name it must fit into a partition key. */
const LONGEST_PREFIX_BYTES = 512;

/**
 * What the partition keys of all ledgers begin with, of all permits, of all budgets and of all buckets; the name comes
 * after it, and of a bucket its key: keys are many, so that they lie in many partitions.
 */
export const ledgersOf = (prefix: string): string => `${prefix}#group#`;
export const permitsOf = (prefix: string): string => `${prefix}#permits#`;
export const budgetsOf = (prefix: string): string => `${prefix}#budget#`;
export const bucketsOf = (prefix: string): string => `${prefix}#keyed#`;

/** The sort keys of the item that a group has once, of a key's permits, and of a budget. */
export const LEDGER = "ledger";
export const PERMITS = "permits";
export const BUDGET = "budget";
const LIMIT = "limit";

/** Keys of a group. The prefix contains no `#`, so that no group's keys are another's. */
export function groupKeys(prefix: string, group: string): GroupKeys {
  const pk = `${ledgersOf(prefix)}${group}`;
  const beats = `${prefix}#beats#${group}`;
  return {
    ledger: { pk, sk: LEDGER },
    head: { pk, sk: "head" },
    beats,
    beatOf: (incarnation) => ({ pk: beats, sk: incarnation }),
  };
}

/** Where a key's permits live. */
export function permitKey(prefix: string, key: string): Key {
  return { pk: `${permitsOf(prefix)}${key}`, sk: PERMITS };
}

/** Where a budget lives. */
export function budgetKey(prefix: string, budget: string): Key {
  return { pk: `${budgetsOf(prefix)}${budget}`, sk: BUDGET };
}

/** Where a bucket lives: both of its names may be as long as a sort key may be. */
export function bucketKey(prefix: string, { name, key }: BucketRef): Key {
  return { pk: `${bucketsOf(prefix)}${key}`, sk: name };
}

/** Where a limit record lives. */
export function limitKey(prefix: string, { kind, name, key }: LimitTarget): Key {
  if (key === undefined) return { pk: `${prefix}#limit#${kind}#${name}`, sk: LIMIT };
  return { pk: `${prefix}#limit-of-key#${name}`, sk: key };
}

/** Where something lives that is one item. */
export function cellKey(prefix: string, cell: CellName): Key {
  if (cell.kind === "keyed") return bucketKey(prefix, cell.bucket);
  if (cell.kind === "limit") return limitKey(prefix, cell.target);
  return cell.kind === "permits" ? permitKey(prefix, cell.name) : budgetKey(prefix, cell.name);
}

/**
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPrefix(value: unknown): string {
  const prefix = checkName("prefix", value);
  if (prefix.includes("#"))
    throw invalidOption("prefix", prefix, "leave out #: it separates the prefix from the group");
  if (new TextEncoder().encode(prefix).length > LONGEST_PREFIX_BYTES)
    throw invalidOption("prefix", prefix, `give at most ${LONGEST_PREFIX_BYTES} bytes of UTF-8`);
  return prefix;
}

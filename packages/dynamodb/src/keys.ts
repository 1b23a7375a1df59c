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

/** What the partition keys of all ledgers begin with, of all permits, and of all budgets; the name comes after it. */
export const ledgersOf = (prefix: string): string => `${prefix}#group#`;
export const permitsOf = (prefix: string): string => `${prefix}#permits#`;
export const budgetsOf = (prefix: string): string => `${prefix}#budget#`;

/** The sort keys of the item that a group has once, of a key's permits, and of a budget. */
export const LEDGER = "ledger";
export const PERMITS = "permits";
export const BUDGET = "budget";

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

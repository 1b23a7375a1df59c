import { listenTo } from "./listen.ts";
import type { Record } from "./reader.ts";
import type { Attributes, Put } from "./series.ts";

/** What of a keyed limit's status becomes metrics. */
export interface KeyedStatus {
  readonly keys: number;
  readonly inUse: number;
  readonly local: number;
  readonly wouldRefuse: number;
  readonly unchecked: number;
  readonly slotsLost: number;
  readonly lastError: unknown;
}

/** What stands for all keys beyond those that are told apart. */
export const OVERFLOW: Attributes = { "dt.key": "__overflow__", "dt.overflow": true };

/** Events of refused calls, and `dt.result` of each. */
const REFUSALS: readonly (readonly [event: string, result: string])[] = [
  ["refused", "refused"],
  ["queueFull", "refused"],
  ["timedOut", "timeout"],
  ["wouldRefuse", "would_refuse"],
];

/** Puts what a keyed limit has beside other limiters. */
export function putKeyed(status: KeyedStatus, put: Put): void {
  const { keys, inUse, local, wouldRefuse, unchecked, slotsLost, lastError } = status;
  put("dt.keyed.keys", keys);
  put("dt.keyed.local", local);
  put("dt.keyed.unchecked", unchecked);
  put("dt.slots.in_use", inUse);
  put("dt.slots.lost", slotsLost);
  put("dt.would_refuse", wouldRefuse);
  put("dt.store.valid", Number(lastError === undefined));
}

/**
 * Records refusals by key. The first `maxKeys` keys that are refused are told apart, for as long as this lasts; all
 * others are one.
 */
export function listenToKeys(source: object, record: Record, maxKeys: number): () => void {
  const known = new Set<string>();
  const attributesOf = (key: string): Attributes => {
    if (!known.has(key) && known.size >= maxKeys) return OVERFLOW;
    known.add(key);
    return { "dt.key": key };
  };
  const ends = REFUSALS.map(([event, result]) =>
    listenTo<{ readonly key: string }>(source, event, ({ key }) =>
      record("dt.keyed.refusals", 1, { ...attributesOf(key), "dt.result": result }),
    ),
  );
  return () => {
    for (const end of ends) end();
  };
}

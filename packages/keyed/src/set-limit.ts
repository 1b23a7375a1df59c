import { DtError, type Duration, type LimitLedger, type LimitRecord, type LimitTarget } from "@dt/core";
import { checkDuration, checkKeys, checkName } from "@dt/core/internal";
import { checkKeyLimit, type KeyLimit } from "./key-limit.ts";

/** How the limit of a key, or of all keys, is set. */
export interface SetKeyLimitOptions {
  /**
   * The key whose limit it is.
   * @default all keys that have no limit of their own in the store
   */
  readonly key?: string;
  /** Who sets it, for the history: 1 to 256 characters, such as `"ann@ops-1"`. */
  readonly by: string;
  /**
   * Why, for the history: at most 1,000 characters.
   * @default none
   */
  readonly why?: string;
  /**
   * For how long it counts, in milliseconds or as text such as `"2h"`. Afterwards the code's value counts again.
   * @default for good
   */
  readonly for?: Duration;
  /**
   * Ends the call early, with its reason.
   * @default none
   */
  readonly signal?: AbortSignal;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof SetKeyLimitOptions>(["key", "by", "why", "for", "signal"]);

/**
 * Sets the limit of a key, or of all keys, for the keyed limits of a name that have `stored: true`, on one store. That
 * of a key holds in the store at once. That of all keys reaches each process within about a second of its use. Units
 * that processes have in hand stay theirs, for up to 2.5 s. What was used is not forgotten.
 * @param store the store of the keyed limits
 * @param name their name
 * @param limit the limit; undefined removes it, so that the limit of all keys counts again, or else the code's
 * @param options which key, who sets it, why, and for how long
 * @returns what is kept of the limit, with its last 20 changes
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_UNSUITABLE` where the store keeps no limits; the errors of the store
 * @example await setLimit(store, "api", { rate: "50/s" }, { key: "tenant 7", by: "billing", why: "upgrade" })
 */
export async function setLimit(
  store: Partial<LimitLedger>,
  name: string,
  limit: KeyLimit | undefined,
  options: SetKeyLimitOptions,
): Promise<LimitRecord> {
  checkKeys("options", options, OPTIONS);
  const { key, by, why, signal } = options;
  const forMs = options.for === undefined ? undefined : checkDuration("for", options.for, 1);
  const change = {
    values: limit === undefined ? undefined : { ...checkKeyLimit("limit", limit) },
    by,
    ...(why !== undefined && { why }),
    ...(forMs !== undefined && { forMs }),
  };
  return limitsOf(store).setLimit(targetOf(name, key), change, signal);
}

/**
 * What the limit of a key, or of all keys, is set to in the store, and its last 20 changes. Undefined where it was
 * never set.
 * @param store the store of the keyed limits
 * @param name their name
 * @param options which key; left out for the limit of all keys
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_UNSUITABLE` where the store keeps no limits; the errors of the store
 * @example const record = await getLimit(store, "api", { key: "tenant 7" })
 */
export async function getLimit(
  store: Partial<LimitLedger>,
  name: string,
  options: Pick<SetKeyLimitOptions, "key" | "signal"> = {},
): Promise<LimitRecord | undefined> {
  checkKeys("options", options, new Set(["key", "signal"]));
  return limitsOf(store).readLimit(targetOf(name, options.key), options.signal);
}

/** Whose limit it is: of one key, or of all. */
export function targetOf(name: string, key?: string): LimitTarget {
  checkName("name", name);
  return { kind: "keyed", name, ...(key !== undefined && { key: checkName("key", key) }) };
}

function limitsOf(store: Partial<LimitLedger>): LimitLedger {
  if (store.setLimit && store.readLimit) return store as LimitLedger;
  throw new DtError("DT_STORE_UNSUITABLE", "this store keeps no limits; use a store that has setLimit");
}

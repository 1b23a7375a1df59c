import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { LimitLedger, LimitRecord, LimitValues } from "../contract/limit-ledger.ts";
import { DtError } from "../errors/dt-error.ts";
import { checkDuration, checkKeys } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import type { Rate } from "../internal/rate.ts";
import { valuesOf } from "./limit-text.ts";
import { type LimiterName, targetOf } from "./limiter-name.ts";

/** A store whose limits can be set. */
export type LimitStore = Pick<CoordinationStore, "capabilities" | "inspect"> & Partial<LimitLedger>;

/** How a limit is set. */
export interface SetLimitOptions {
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

const OPTIONS: ReadonlySet<string> = new Set<keyof SetLimitOptions>(["by", "why", "for", "signal"]);

/**
 * Sets the limit of all limiters of that kind and name that have `stored: true`, on one store. It holds in the store at
 * once, and in a process from its next sync. A process that is cut off goes on with its old share until the end of its
 * validity. What was used is not forgotten. Other processes go by the smaller one of this limit and their own.
 * @param store the store of the limiters
 * @param limiter their kind and name
 * @param limit the limit: a rate, the slots of a semaphore, or the numbers by name (`{ max: 200 }`); undefined removes
 *   it, so that the code's value counts again
 * @param options who sets it, why, and for how long
 * @returns what is kept of the limit, with its last 20 changes
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_UNSUITABLE` where the store keeps no limits; the errors of the store
 * @example await setLimit(store, { kind: "throttle", name: "mail" }, "50/s", { by: "ann", why: "load", for: "2h" })
 */
export async function setLimit(
  store: LimitStore,
  limiter: LimiterName,
  limit: Rate | LimitValues | undefined,
  options: SetLimitOptions,
): Promise<LimitRecord> {
  checkKeys("options", options, OPTIONS);
  const { by, why, signal } = options;
  const forMs = options.for === undefined ? undefined : checkDuration("for", options.for, 1);
  const target = targetOf(limiter);
  const ledger = limitsOf(store);
  const group = target.kind === "group" ? await store.inspect(target.name, signal) : undefined;
  const change = {
    values: limit === undefined ? undefined : valuesOf(limiter, limit, group?.intervalMs ?? 0),
    by,
    ...(why !== undefined && { why }),
    ...(forMs !== undefined && { forMs }),
    ...(group && group.capacity > 0 && { from: { max: group.capacity } }),
  };
  return ledger.setLimit(target, change, signal);
}

/**
 * What a limit is set to in the store, and its last 20 changes. Undefined where it was never set.
 * @param store the store of the limiters
 * @param limiter their kind and name
 * @param signal ends the call early, with its reason
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_UNSUITABLE` where the store keeps no limits; the errors of the store
 * @example const limit = await getLimit(store, { kind: "throttle", name: "mail" })
 */
export async function getLimit(
  store: LimitStore,
  limiter: LimiterName,
  signal?: AbortSignal,
): Promise<LimitRecord | undefined> {
  return limitsOf(store).readLimit(targetOf(limiter), signal);
}

function limitsOf(store: LimitStore): LimitLedger {
  if (store.setLimit && store.readLimit) return store as LimitLedger;
  throw new DtError(
    "DT_STORE_UNSUITABLE",
    `the ${store.capabilities.name} store keeps no limits; use a store that has setLimit`,
  );
}

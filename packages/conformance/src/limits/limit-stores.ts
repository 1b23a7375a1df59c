import type { CoordinationStore, LimitChange, LimitLedger } from "@dt/core";
import type { CaseContext } from "../context.ts";
import { SkippedCase } from "../failure.ts";

/** A store that keeps stored limits. */
export type LimitStore = CoordinationStore & LimitLedger;

/**
 * The store as a ledger of limits.
 * @throws SkippedCase when it is none, unless the target says that it is
 */
export function asLimits(context: CaseContext, store: CoordinationStore): LimitStore {
  if (context.has(store, "setLimit") && context.has(store, "readLimit")) return store as LimitStore;
  if (context.target.limits === true)
    context.fail("the target promises stored limits, and the store has no setLimit()");
  throw new SkippedCase("the store keeps no stored limits (it has no setLimit())");
}

/** The case's first store as a ledger of limits. */
export async function limitStore(context: CaseContext): Promise<LimitStore> {
  return asLimits(context, await context.store());
}

/** Another client of the same limits; the same store again when the target's stores share nothing. */
export async function limitClient(context: CaseContext): Promise<LimitStore> {
  return asLimits(context, await context.client());
}

/** A change to this max; undefined removes the limit. */
export function to(max: number | undefined, changes: Partial<LimitChange> = {}): LimitChange {
  return { values: max === undefined ? undefined : { max }, by: "the suite", ...changes };
}

import type { DecidedCall, DtError, LimitValues } from "@dt/core";
import { Events } from "@dt/core/internal";

/** The events of a budget, and what each of them carries. */
export interface BudgetEvents {
  /** A call was granted: the units that are reserved, and how long its caller waited, in milliseconds. */
  readonly grant: { readonly cost: Readonly<Record<string, number>>; readonly waitedMs: number };
  /**
   * A call that a limit made wait, or that was refused, came out like this; its cost by the limits' names. Grants that
   * waited for the store's answer alone, and answers of no to `tryAcquire`, are only counted: `status().calls`.
   */
  readonly decided: DecidedCall<Readonly<Record<string, number>>>;
  /** The ledger made a reservation wait: for which limit, or `"pause"`, and how long. */
  readonly limited: { readonly limitedBy: string | undefined; readonly waitMs: number };
  /** With `enforce: false`: a call went on that would have waited. */
  readonly wouldWait: { readonly limitedBy: string | undefined; readonly waitMs: number };
  /** A lease was settled: the units that count, and whether they were measured or are the estimate. */
  readonly settled: { readonly cost: Readonly<Record<string, number>>; readonly measured: boolean };
  /** A lease was not settled within `settleWithin`: it stays spent. Or its settlement was given up. */
  readonly unsettled: { readonly leases: number };
  /** A reservation came too late to be used, and was given back. */
  readonly wasted: { readonly lateMs: number };
  /** The fleet pauses for so long. */
  readonly paused: { readonly forMs: number };
  /**
   * Other limits are in force, by an answer of the store, where they live. Each `max` by its limit's name: it was
   * `from`, and is `to`.
   */
  readonly limitChanged: { readonly from: LimitValues; readonly to: LimitValues };
  /** A value that a callee or a call stated makes no sense, and was ignored. */
  readonly ignored: { readonly values: number };
  /** A caller's time was up. */
  readonly timedOut: { readonly waitedMs: number };
  /** A caller was refused, since `maxWaiters` wait already. */
  readonly queueFull: { readonly waiting: number };
  /** The store failed. */
  readonly storeError: { readonly error: DtError };
}

/** The name of an event of a budget. */
export type BudgetEvent = keyof BudgetEvents;

const NAMES: Readonly<Record<BudgetEvent, true>> = {
  grant: true,
  decided: true,
  limited: true,
  wouldWait: true,
  settled: true,
  unsettled: true,
  wasted: true,
  paused: true,
  limitChanged: true,
  ignored: true,
  timedOut: true,
  queueFull: true,
  storeError: true,
};

/** The events of the budget of this name. */
export function budgetEvents(source: { readonly name: string }): Events<BudgetEvents> {
  return new Events<BudgetEvents>("budget", NAMES, source);
}

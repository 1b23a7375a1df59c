import type { BudgetSnapshot } from "./budget-snapshot.ts";
import type { BudgetPage } from "./listing.ts";

/**
 * A ledger of budgets: several limits that one call spends together, all or nothing, and settles when its true cost is
 * known. One value for each budget, on the store's clock. Waiting is the caller's part (`createBudget` of
 * `@dt/budget`).
 *
 * B1, B2, ... are the rules of docs/store-contract.md of the repository. For every call these hold: operations on a
 * budget are atomic (B1), and times are on the store's clock (B2). A request may come twice (B8). The call settles
 * within the adapter's deadline, with the errors of R16 (B10).
 */
export interface BudgetLedger {
  /**
   * See {@link CoordinationStore.setUp}. A process calls it before its first request.
   * @param signal ends the call early, with its reason
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Settles leases (B6), takes in what the callee states (B7) and a pause (B5). Then it reserves all of a cost or
   * nothing (B3, B4). All of that happens in this order, and as a whole.
   * @param budget the budget's name
   * @param request what is settled, stated and asked for
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_PACE_MISMATCH` (B9), `DT_STORE_DATA` (B11), and the codes of R16
   */
  spend(budget: string, request: SpendRequest, signal?: AbortSignal): Promise<SpendAnswer>;
  /**
   * Forgets a budget (B11); nothing happens when there is no such budget. Absent in a ledger that cannot reset one.
   * @param budget the budget's name
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  resetBudget?(budget: string, signal?: AbortSignal): Promise<void>;
  /**
   * What a budget holds now, for people and tools (B12). Absent in a ledger that cannot show it.
   * @param budget the budget's name
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` (B11), and the codes of R16
   */
  inspectBudget?(budget: string, signal?: AbortSignal): Promise<BudgetSnapshot | undefined>;
  /**
   * One page of the budgets that there are, in no order (B12). The first page takes no cursor, each other one the
   * `next` of the page before it. Absent in a ledger that cannot list them.
   * @param cursor the `next` of the page before; left out for the first page
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INVALID_OPTION` for a cursor that no page gave; the codes of R16
   */
  listBudgets?(cursor?: string, signal?: AbortSignal): Promise<BudgetPage>;
}

/** One limit of a budget. */
export interface BudgetLimit {
  /** Unique in its budget; 1 to 128 characters. */
  readonly name: string;
  /** Units that calls may spend in any `windowMs`, > 0. */
  readonly max: number;
  /** The window, in milliseconds, > 0. It slides: it may begin at any instant. */
  readonly windowMs: number;
  /** Units that may be spent at once; the rest of `max` is spread evenly over the window. From > 0 to `max`. */
  readonly burst: number;
}

/** What is asked of a budget. */
export interface SpendRequest {
  /** The budget's limits: 1 to 16. Costs are lists in this order. */
  readonly limits: readonly BudgetLimit[];
  /**
   * For each tier of priorities the part of every `max` that it leaves to the tiers before it (B4). 1 to 8 numbers from
   * 0 to below 1; the first is 0, and none is smaller than the one before it.
   */
  readonly keeps: readonly number[];
  /** What must match among all users of the budget (B9); 1 to 1,024 bytes. Absent: the request fits any terms. */
  readonly terms?: string;
  /** Terms that `terms` take the place of (B9). */
  readonly formerTerms?: string;
  /**
   * True where the limits live in the store (B13): each `max` is the code's value then, and counts where the store has
   * none.
   */
  readonly stored?: boolean;
  /** Leases that are settled: at most 1,000. */
  readonly settle?: readonly Settlement[];
  /** What the callee states is left of a limit. */
  readonly stated?: readonly StatedRest[];
  /** No reservation that is made from now on begins within so many milliseconds (B5). At most a day counts. */
  readonly pauseMs?: number;
  /** What is reserved. */
  readonly reserve?: SpendReservation;
}

/** A cost that is reserved. */
export interface SpendReservation {
  /** Random, unique to this request (B8): the lease's id. */
  readonly id: string;
  /**
   * For each limit the units that the call is estimated to spend, 0 to what its tier may spend of `max`. With `stored`
   * any number: what is more than the tier may spend of the `max` in force has to wait (B13).
   */
  readonly costs: readonly number[];
  /** Which of `keeps` counts, from 0. */
  readonly tier: number;
  /** A reservation whose instant is farther away than this is refused, and nothing is reserved. */
  readonly maxWaitMs: number;
  /** How long after its instant the lease stays known, so that it can be settled, in milliseconds. */
  readonly keepMs: number;
  /** Reserves now, whatever the limits are, and answers when it would have been. */
  readonly force?: boolean;
}

/** What a call has cost. */
export interface Settlement {
  /** The lease's id. A lease that is not known is left alone. */
  readonly id: string;
  /** For each limit the units that the call spent, >= 0; all 0 where it was not made. */
  readonly costs: readonly number[];
  /** True where `costs` were measured. The ledger then learns how far estimates are off (B6). */
  readonly measured: boolean;
}

/** What a callee states is left of a limit. It only ever lowers what is left here. */
export interface StatedRest {
  /** The limit: its place in `limits`. */
  readonly limit: number;
  /** Units left, >= 0. */
  readonly rest: number;
  /** In so many milliseconds it is full again; at most the window counts. */
  readonly resetMs: number;
}

/** The answer to a request. */
export interface SpendAnswer {
  /** True where all of the cost is reserved; false for a refusal, and without a reservation. */
  readonly granted: boolean;
  /** The instant at which the call may begin, in milliseconds of the store's time; 0 where nothing is reserved. */
  readonly atMs: number;
  /** How long the call has to wait, or would have to where it is refused or forced, in milliseconds. */
  readonly waitMs: number;
  /** What makes it wait: the place of a limit in `limits`, or -1 for a pause. Absent where the call need not wait. */
  readonly limitedBy?: number;
  /** What is left of a pause, in milliseconds; 0 for none. */
  readonly pausedForMs: number;
  /** For each limit the units that are left of `max` now, reservations ahead counted as spent; less than 0 is debt. */
  readonly rests: readonly number[];
  /** For each limit the `max` that counted for the request (B13); absent where the budget has no stored limit. */
  readonly maxes?: readonly number[];
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
}

import { randomId, type SpendReservation, type Timer } from "@dt/core";
import type { Wait, Waiter } from "@dt/core/internal";
import type { BudgetSettings } from "./options.ts";

/** The longest wait that is asked for, in milliseconds. */
const LONGEST_WAIT_MS = 86_400_000;
/** A lease is known to the store so much longer than it may be settled, in milliseconds. */
const SPARE_MS = 60_000;

/** What a caller of a budget waits for. */
export interface BudgetWait extends Wait {
  readonly priority: number;
  /** Whose turn it is among callers of one priority. */
  readonly key: string;
  /** The units of each limit. */
  readonly units: readonly number[];
  readonly tier: number;
  /** Local time at which the caller gives up. */
  readonly deadlineMs: number;
}

/** What a caller is granted. */
export interface Granted {
  /** The lease's id. */
  readonly id: string;
  /** The units of each limit that are reserved. */
  readonly reserved: readonly number[];
  /** How long after its instant the caller was woken, in milliseconds. */
  readonly lateMs: number;
  /** What made the call wait: the place of a limit, -1 for a pause; undefined for nothing. */
  readonly limitedBy: number | undefined;
  /** How long the ledger made the call wait, or would have without `enforce: false`. */
  readonly waitMs: number;
}

/** A call that is not granted at once. */
export interface NotNow {
  /** After so many milliseconds it is worth asking again. */
  readonly retryAfterMs: number;
  /** What limits it, by name; undefined for callers that wait. */
  readonly limitedBy: string | undefined;
}

/** A caller of a budget. */
export type Caller = Waiter<Granted, BudgetWait>;

/** A reservation in the fleet's line: asked for, or granted for an instant that is to come. */
export interface OpenReservation {
  readonly id: string;
  readonly priority: number;
  readonly tier: number;
  readonly units: readonly number[];
  /** Undefined once its caller has left. */
  caller: Caller | undefined;
  /** The local times between which it may be used; undefined while the store has not answered. */
  life?: { readonly dueMs: number; readonly expiresMs: number };
  limitedBy?: number | undefined;
  waitMs: number;
  /** The end of the pause that was known when it was asked for, in local time. */
  readonly knownPauseMs: number;
  timer?: Timer;
}

/** True where a caller of these units waits for the same limit. */
export function holdsUp({ life, limitedBy }: OpenReservation, units: readonly number[]): boolean {
  return life === undefined || limitedBy === undefined || limitedBy < 0 || (units[limitedBy] as number) > 0;
}

/** True where a caller may use a reservation of another one: it costs no more, and may come as early. */
export function mayUse({ want }: Caller, { units, tier, life }: OpenReservation): boolean {
  return (
    want.tier <= tier &&
    want.deadlineMs >= (life?.dueMs ?? 0) &&
    want.units.every((cost, limit) => cost <= (units[limit] as number))
  );
}

/** What the store is asked for, under an id of its own. */
export function reservationOf(
  { runtime, enforce, settleWithinMs }: BudgetSettings,
  { units, tier }: Pick<BudgetWait, "units" | "tier">,
  maxWaitMs: number,
): SpendReservation {
  return {
    ...{ id: randomId(runtime), costs: units, tier, keepMs: settleWithinMs + SPARE_MS },
    maxWaitMs: Math.min(LONGEST_WAIT_MS, Math.max(0, maxWaitMs)),
    ...(!enforce && { force: true }),
  };
}

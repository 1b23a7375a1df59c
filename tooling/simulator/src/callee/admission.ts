import type { CalleeReport, Outcome } from "@dt/adaptive";

/** What a client asks before it sends a call: a limit, a throttle, or nothing at all. */
export interface Admission {
  /** Undefined: the call is not sent. */
  enter(cost: number): Ticket | undefined;
  /** Cost that may be in flight, for plots. NaN when there is no such limit. */
  readonly limit: number;
}

/** A call that was let through; told once how it ended. */
export interface Ticket {
  settle(outcome: Outcome, report?: CalleeReport): void;
}

const FREE: Ticket = { settle: () => {} };

/** Every call is sent. */
export const unlimited = (): Admission => ({ enter: () => FREE, limit: Number.NaN });

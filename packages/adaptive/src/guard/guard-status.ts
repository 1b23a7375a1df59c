import type { DecidedCall, LimiterStatus } from "@dt/core";

/** The events of a guard. Each is published as well: docs/events.md has the channels. */
export interface GuardEvents {
  /**
   * A call that a part made wait, or that was refused, came out like this. Calls that were let through at once, and
   * answers of no to `tryAcquire`, are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /** No call goes out for `forMs`, because the callee asked for it or `pause` was called. */
  readonly paused: { readonly forMs: number };
}

/** A guard at one instant, as data. */
export interface GuardStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "guard";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopped";
  /** How much longer nothing goes out, in milliseconds. */
  readonly pausedForMs: number;
  /** Callers on their way in: waiting for the end of a pause, a slot, a permit or tokens. */
  readonly waiting: number;
  /** Calls that were let through and have not ended. */
  readonly inflight: number;
}

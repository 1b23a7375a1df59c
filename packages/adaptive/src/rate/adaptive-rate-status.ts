import type { DecidedCall, LimiterStatus } from "@dt/core";

/** The events of an adaptive rate. Each is published as well: docs/events.md has the channels. */
export interface AdaptiveRateEvents {
  /**
   * The callee refused a call, and the rate is lower from now on: in calls a second, of all processes that share it.
   * `before` is `Infinity` at the first refusal.
   */
  readonly lowered: { readonly rate: number; readonly before: number };
  /**
   * A call that waited, or was refused, came out like this. Calls that were let through at once, and answers of no to
   * `tryAcquire`, are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /** No call is let through for `forMs`, because the callee asked for it or `pause` was called. */
  readonly paused: { readonly forMs: number };
}

/** An adaptive rate at one instant, as data. */
export interface AdaptiveRateStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "adaptiveRate";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopped";
  /** Calls a second, of all processes that share the rate; `Infinity` while nothing was refused. */
  readonly rate: number;
  /** Calls a second that this process sent lately. */
  readonly sent: number;
  /** Calls a second of these that the callee took. */
  readonly taken: number;
  /** How much longer no call is let through, in milliseconds. */
  readonly pausedForMs: number;
  /** Calls that were let through and not reported yet. */
  readonly inflight: number;
}

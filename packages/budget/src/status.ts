import type { LimiterStatus } from "@dt/core";

/** A budget at one instant, as data. */
export interface BudgetStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "budget";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopping" | "stopped";
  /** What all budgets of this name must agree on: see the option `replaces`. */
  readonly terms: string;
  /** True where the limits live in the store. */
  readonly stored: boolean;
  /** Its limits by name, as the store's last answer reported them. */
  readonly limits: Readonly<Record<string, LimitStatus>>;
  /** Calls in flight of this process that hold a slot of `concurrent`; undefined without it. */
  readonly inUse: number | undefined;
  /** Reservations of this process in the fleet's line. */
  readonly ahead: number;
  /** What the last reservation waits for: a limit, `"pause"`, or undefined for nothing. */
  readonly limitedBy: string | undefined;
  /** What is left of a pause, in milliseconds; 0 for none. */
  readonly pausedForMs: number;
  /** Leases that are not settled. */
  readonly open: number;
  /** With `enforce: false`: calls that would have waited. */
  readonly wouldWait: number;
  /** Leases that were settled. */
  readonly settled: number;
  /** Of them those without a usage: they were settled as reserved. */
  readonly estimated: number;
  /** Leases that were not settled in time: they stay spent. */
  readonly unsettled: number;
  /** Reservations that came too late to be used. */
  readonly wasted: number;
  /** Values that callees and calls stated, and that make no sense. */
  readonly ignored: number;
  /** Requests to the store. */
  readonly requests: number;
  /** Why the last request failed; undefined after a success. */
  readonly lastError: Error | undefined;
}

/** One limit of a budget at one instant. */
export interface LimitStatus {
  /** Units in any window: what is in force. */
  readonly max: number;
  /** Units that are left now, reservations ahead counted as spent; less than 0 is debt. Undefined before an answer. */
  readonly rest: number | undefined;
  /** Units that calls of this process reserved so far. */
  readonly reserved: number;
  /**
   * Units that they had used when they were settled. What is not settled in time stays reserved, and is not counted.
   */
  readonly settled: number;
}

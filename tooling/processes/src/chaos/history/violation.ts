/** What is checked, by name. */
export type Rule =
  /** The tokens of an epoch sum to at most the capacity. */
  | "epoch-sum"
  /** A process never grants in an older epoch than before. */
  | "epoch-back"
  /** A grant is less than the validity younger than the sending of the last successful call. */
  | "validity"
  /** A process uses no more than the store's answers allowed it in that epoch. */
  | "raise-too-early"
  /** An epoch's number is that of the store's clock, give or take the clock error. */
  | "epoch-label"
  /** No more tokens in all than the time that passed has epochs for. */
  | "rate"
  /** No more is given back than was granted, and nothing is granted again that the throttle says it did not take. */
  | "given-back"
  /** Whoever releases evenly grants no more in a short time than its part of it, and the burst. */
  | "uneven"
  /** Nothing is granted after leaving, or after being fenced. */
  | "granted-after-end"
  /** The capacity is one that was configured. */
  | "capacity"
  /** The store refuses no call for what is in it. */
  | "refused"
  /** The log is whole: every line there, in order. */
  | "log";

/** Something that must not happen, and did. */
export interface Violation {
  readonly rule: Rule;
  readonly boot: string;
  readonly epoch?: number;
  readonly detail: string;
}

/**
 * What the loss of acknowledged writes may break: how far, is measured instead of promised (docs/guarantees.md,
 * "failover-loss").
 */
export const BROKEN_BY_LOST_WRITES: readonly Rule[] = ["epoch-sum", "raise-too-early", "rate"];

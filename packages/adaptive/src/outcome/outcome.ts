import { invalidOption } from "@dt/core/internal";

/**
 * How a call ended, as everything here counts it:
 *
 * - `success`: it was answered. Its latency is a sample.
 * - `overload`: the callee, or something on the way, has too much: 429, 503, RESOURCE_EXHAUSTED, or no answer in time.
 * - `failure`: it failed for another reason. An adaptive throttle counts it as not accepted; a concurrency limit learns
 *   nothing from it. The 2 ms of a failed call are not the time of real work.
 * - `ignored`: it counts for nothing: the caller cancelled it, or never sent it.
 */
export type Outcome = "success" | "overload" | "failure" | "ignored";

/**
 * Refuses what is no outcome, which would be counted as nothing at all.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkOutcome(outcome: Outcome): void {
  // Compared one by one: this stands in the way of every call.
  if (outcome === "success" || outcome === "overload" || outcome === "failure" || outcome === "ignored") return;
  throw invalidOption("outcome", outcome, "give one of success, overload, failure, ignored");
}

/** The callee's report of a call that it answered. */
export interface CalleeReport {
  /**
   * How long the call waited at the callee before work on it began, in milliseconds. Over HTTP:
   * `Server-Timing: queue;dur=12.5`.
   */
  readonly queueWaitMs?: number;
}

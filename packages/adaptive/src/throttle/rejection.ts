/**
 * The probability with which a call is not made: `max(0, (requests - k * accepts) / (requests + 1))`, as in the SRE
 * book's chapter on overload and in the Beam design. `requests` are all that were asked for, those not made included,
 * `accepts` those that the callee took. With more calls than the callee takes, `k` times its capacity is sent.
 * @param requests requests lately
 * @param accepts those of them that the callee took
 * @param k how many more requests than accepts are let through
 * @example rejectionProbability(100, 40, 2); // 0.198
 */
export function rejectionProbability(requests: number, accepts: number, k: number): number {
  return Math.max(0, (requests - k * accepts) / (requests + 1));
}

/**
 * What became of calls: how many the callee took (of which some failed for other reasons), how many it refused, and how
 * many were not made.
 */
export interface OutcomeCounts {
  readonly successes: number;
  readonly failures: number;
  readonly overloads: number;
  readonly rejects: number;
}

/**
 * Calls that fail for other reasons than overload count as not taken only against this `k`: while fewer than half fail,
 * they hold nothing back.
 */
const K_FAILURES = 2;

/**
 * Where the callee refuses hardly any, so much more is sent than it took lately: whatever it can take again is found in
 * steps of that.
 */
const K_ROOM = 2;

/**
 * The probability for these outcomes. Refusals (`overload`) count against `k`. Failures for other reasons count against
 * 2, so that a callee that is broken is spared too, while one that fails a third of its calls is not starved. And while
 * it refuses less than half of what `k` alone would bring about, there is room: then 2 is used instead of a smaller
 * `k`.
 */
export function probabilityOf(outcomes: OutcomeCounts, k: number): number {
  const { failures, overloads, rejects } = outcomes;
  // More may have been taken back than is left in the window.
  const successes = Math.max(0, outcomes.successes);
  const taken = successes + failures;
  const requests = taken + overloads + rejects;
  const room = overloads <= ((k - 1) / k / 2) * (taken + overloads);
  const refused = rejectionProbability(requests, taken, room ? Math.max(k, K_ROOM) : k);
  return Math.max(refused, rejectionProbability(requests, successes, Math.max(k, K_FAILURES)));
}

import { quantile } from "../soak/summary.ts";

/** What is measured of one fleet with one demand. */
export interface Measures {
  /** What the fleet was granted, of what the oracle would grant it. */
  readonly reached: number;
  /** Jain's index of what each was granted of what the oracle would grant it: 1 where all are served alike. */
  readonly jain: number;
  readonly syncsPerMemberSecond: number;
  /** How often a member's share of an epoch differed from that of its last one. */
  readonly shareChangesPerMemberMinute: number;
  /**
   * How long the requests that were granted had waited, of the members that want the even part or less; null where
   * there is none.
   */
  readonly lightMedianWaitMs: number | null;
  readonly lightP99WaitMs: number | null;
  /** Tokens of the fullest epoch, of the limit: more than 1 would be a broken promise. */
  readonly fullestEpoch: number;
}

/** What was counted from outside, of each member. */
export interface Counts {
  readonly granted: readonly number[];
  /** How long each request that was granted had waited, in milliseconds. */
  readonly waits: readonly (readonly number[])[];
  /** Calls to the store, and events of a changed share, of all members. */
  readonly calls: number;
  readonly shareChanges: number;
  /** Tokens of the epoch with most of them. */
  readonly most: number;
}

/**
 * @param best what the oracle would have granted each
 * @param max the limit a second
 */
export function measures(counts: Counts, best: readonly number[], max: number, seconds: number): Measures {
  const { granted, waits, calls, shareChanges, most } = counts;
  const members = granted.length;
  const light = waits.filter((_, member) => (best[member] as number) <= (max * seconds) / members).flat();
  const served = best.flatMap((tokens, member) => (tokens > 0 ? [(granted[member] as number) / tokens] : []));
  return {
    reached: sum(granted) / sum(best),
    jain: jain(served),
    syncsPerMemberSecond: calls / members / seconds,
    shareChangesPerMemberMinute: (60 * shareChanges) / members / seconds,
    lightMedianWaitMs: light.length === 0 ? null : Math.round(quantile(light, 0.5)),
    lightP99WaitMs: light.length === 0 ? null : Math.round(quantile(light, 0.99)),
    fullestEpoch: most / max,
  };
}

/** (sum of x)^2 / (n x sum of x^2): 1 when all are alike, 1/n when one has everything; 1 when nobody has anything. */
export function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

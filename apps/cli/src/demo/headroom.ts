/**
 * The part of the limit that is left unused by default: makes up for 3 % of a window, 30 ms a second, of arrival
 * jitter.
 */
const DEFAULT_PART = 0.03;

/** Tokens to leave unused of a limit that the callee counts in a sliding window (docs/headroom.md). */
export function defaultHeadroom(max: number): number {
  return Math.max(1, Math.ceil(DEFAULT_PART * max));
}

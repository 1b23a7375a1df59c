/**
 * What the numbers of a ledger may be, so that no store overflows: sums of tokens stay whole numbers in a double and in
 * 64 bits, and sums of times stay within what dates, doubles and servers' expiries can take.
 */

/** The most tokens that a member may declare, claim or report. Thousands of members together stay below 2^53. */
export const MOST_TOKENS = 1e12;

/** The most members that anybody may speak of. */
export const MOST_MEMBERS = 1e9;

/** The shortest and longest of all durations that make a ledger, in milliseconds: 1 ms and about 31 years. */
export const SHORTEST_MS = 1;
export const LONGEST_MS = 1e12;

/** The latest time that JavaScript's dates know. */
export const LATEST_MS = 8.64e15;

/**
 * How many stale ages a group may learn for. Shares from before a loss of data have ended after one; and a group learns
 * for the longest time that was ever registered, also when whoever asked for it has left. More than the default of
 * every throttle, which is two sync intervals and an interval.
 */
export const MOST_LEARNING = 2;

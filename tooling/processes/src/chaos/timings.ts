/**
 * The timings of the throttles: short, so that ten minutes hold a thousand epochs and every fault outlasts a validity
 * now and then; in the proportions of the defaults otherwise.
 */
export const TIMINGS = {
  intervalMs: 500,
  syncIntervalMs: 250,
  validityMs: 1_500,
  staleAfterMs: 3_000,
  storeTimeoutMs: 500,
  clockErrorMs: 200,
  /** As long as the validity, which makes even a loss of all data safe; only for stores that can lose theirs alone. */
  learningMs: 1_500,
} as const;

export type Timings = { readonly [name in keyof typeof TIMINGS]: number };

/** The limit of the group; odd, so that every division leaves a remainder. */
export const MAX = 101;

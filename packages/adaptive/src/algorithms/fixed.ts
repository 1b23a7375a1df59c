import { invalidOption } from "@dt/core/internal";
import type { LimitAlgorithm, LimitState } from "./algorithm.ts";

/**
 * A limit that stays as it is: for a callee whose limit is known, and to compare the others with.
 * @param limit cost that may be in flight at once; a number >= 1
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: fixed(20) });
 */
export function fixed(limit: number): LimitAlgorithm {
  if (!(Number.isFinite(limit) && limit >= 1)) throw invalidOption("limit", limit, "give a number >= 1");
  const state: LimitState = { limit };
  return {
    name: "fixed",
    window: () => ({ minMs: 1_000, minSamples: 1, maxMs: 10_000 }),
    start: () => state,
    next: () => state,
  };
}

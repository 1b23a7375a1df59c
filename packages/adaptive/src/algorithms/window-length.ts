import type { WindowLength } from "./algorithm.ts";

/**
 * Ten samples, or the samples of ten latencies where a small limit brings fewer in a second. In a shorter window of
 * calls that take 20 s a single one would decide.
 */
export const WINDOW: WindowLength = { minMs: 100, minSamples: 10, maxMs: 1_000, maxLatencies: 10 };

/**
 * The same for algorithms that take a step with every window: what a step brings is seen a latency later, and no more
 * than two are taken until then.
 */
export const STEP_WINDOW: WindowLength = { ...WINDOW, minLatencies: 0.5 };

/** The parts that a call's size may have, as language models count them. No part is counted in another one. */
export type Part = "input" | "cached" | "cacheWrite" | "output" | "reasoning";

export const PARTS: readonly Part[] = ["input", "cached", "cacheWrite", "output", "reasoning"];

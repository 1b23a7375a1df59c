import type { LimitAlgorithm, SampleWindow, WindowLength } from "../../src/index.ts";

/** An algorithm that keeps the windows it is shown, and sets the limits that a test wants. */
export interface Scripted extends LimitAlgorithm {
  readonly seen: SampleWindow[];
  /** The limit that the next window leads to. */
  wanted: number;
}

export function scripted(limit: number, length: Partial<WindowLength> = {}): Scripted {
  const algorithm: Scripted = {
    name: "scripted",
    seen: [],
    wanted: limit,
    window: () => ({ minMs: 100, minSamples: 1, maxMs: 1_000, ...length }),
    start: () => ({ limit }),
    next: (_, window) => {
      algorithm.seen.push(window);
      return { limit: algorithm.wanted };
    },
  };
  return algorithm;
}

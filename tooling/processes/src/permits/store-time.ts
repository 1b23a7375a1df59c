import type { WorkerLog } from "./log.ts";

interface Bounds {
  readonly atMs: number;
  /** Store's clock less the machine's: at the least, at the most. */
  readonly least: number;
  readonly most: number;
}

/** Answers so far from a moment tell of the clocks at that moment. Beyond, they may have drifted. */
const NEAR_MS = 5_000;

/**
 * What the store's clock showed at a moment of the machine's, to within what all answers together tell: it was read
 * after the call was sent and before the answer came.
 */
export class StoreTime {
  readonly #bounds: readonly Bounds[];

  constructor(logs: readonly WorkerLog[]) {
    this.#bounds = logs.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        entry.type === "answered"
          ? [
              {
                atMs: entry.receivedMs,
                least: entry.storeTimeMs - entry.receivedMs,
                most: entry.storeTimeMs - entry.sentMs,
              },
            ]
          : [],
      ),
    );
  }

  earliest(atMs: number): number {
    return atMs + Math.max(...this.#near(atMs).map(({ least }) => least));
  }

  latest(atMs: number): number {
    return atMs + Math.min(...this.#near(atMs).map(({ most }) => most));
  }

  #near(atMs: number): readonly Bounds[] {
    return this.#bounds.filter((bounds) => Math.abs(bounds.atMs - atMs) < NEAR_MS);
  }
}

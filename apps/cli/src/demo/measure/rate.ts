import type { Arrival, RunRecord } from "../record.ts";

/** The calls of a run at the server over time, in stretches of equal length. */
export interface RateSeries {
  /** When each stretch ends, in seconds from the start. */
  readonly seconds: readonly number[];
  /** The calls of the fullest second that ended in each stretch, refused ones included. */
  readonly total: readonly number[];
  /** Those of them that were refused. */
  readonly refused: readonly number[];
  /** Those of them that each worker made. */
  readonly byWorker: ReadonlyMap<number, readonly number[]>;
}

/**
 * Counts calls in sliding seconds, as the server does. Of every stretch the fullest second is shown: no peak is lost
 * between two points.
 */
export function rateSeries(
  { arrivals, startMs, endMs }: Pick<RunRecord, "arrivals" | "startMs" | "endMs">,
  stretches: number,
): RateSeries {
  const stretchMs = (endMs - startMs) / stretches;
  const window = new Window(arrivals);
  const fullest = Array.from({ length: stretches }, (_, index) => {
    const until = startMs + (index + 1) * stretchMs;
    // Calls under way at the end may arrive after it.
    return window.fullest(until, index === stretches - 1 ? Number.POSITIVE_INFINITY : until);
  });
  const workers = [...new Set(arrivals.map(({ worker }) => worker))].sort((a, b) => a - b);
  return {
    seconds: fullest.map((_, index) => ((index + 1) * stretchMs) / 1_000),
    total: fullest.map(({ total }) => total),
    refused: fullest.map(({ refused }) => refused),
    byWorker: new Map(workers.map((worker) => [worker, fullest.map(({ by }) => by.get(worker) ?? 0)])),
  };
}

interface Counts {
  readonly total: number;
  readonly refused: number;
  readonly by: ReadonlyMap<number, number>;
}

/** A second that slides over arrivals, which must be in order of time. */
class Window {
  readonly #arrivals: readonly Arrival[];
  readonly #by = new Map<number, number>();
  #refused = 0;
  /** The arrivals inside are those from `#first` up to `#next`. */
  #first = 0;
  #next = 0;

  constructor(arrivals: readonly Arrival[]) {
    this.#arrivals = arrivals;
  }

  /**
   * Slides on from where it is to `untilMs`, takes in the arrivals up to `lastMs`, and answers what was in it when it
   * was fullest.
   */
  fullest(untilMs: number, lastMs: number): Counts {
    let fullest = this.#counts();
    for (let one = this.#arrivals[this.#next]; one && one.atMs <= lastMs; one = this.#arrivals[this.#next]) {
      this.#next += 1;
      this.#count(one, 1);
      this.#forget(one.atMs - 1_000);
      if (this.#total > fullest.total) fullest = this.#counts();
    }
    this.#forget(untilMs - 1_000);
    return fullest;
  }

  get #total(): number {
    return this.#next - this.#first;
  }

  #counts(): Counts {
    return { total: this.#total, refused: this.#refused, by: new Map(this.#by) };
  }

  /** Leaves out what arrived by then: a window contains its end, not its start. */
  #forget(byMs: number): void {
    while (this.#first < this.#next) {
      const one = this.#arrivals[this.#first] as Arrival;
      if (one.atMs > byMs) return;
      this.#first += 1;
      this.#count(one, -1);
    }
  }

  #count({ worker, served }: Arrival, by: 1 | -1): void {
    this.#by.set(worker, (this.#by.get(worker) ?? 0) + by);
    if (!served) this.#refused += by;
  }
}

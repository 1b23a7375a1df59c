/** How fast a run goes, from what it did in the last seconds. */
export interface Speed {
  readonly recordsPerSecond: number;
  /** Until the input is at its end; undefined when that is not known, or nothing moves. */
  readonly secondsLeft: number | undefined;
}

interface Sample {
  readonly ms: number;
  readonly records: number;
  readonly bytes: number;
}

/** What counts. The shorter, the sooner a change shows, and the more the figures jump. */
const WINDOW_MS = 10_000;

/** Takes samples of a run's progress. */
export class Pace {
  readonly #samples: Sample[] = [];

  /** @param totalBytes of the input; undefined where it has no size */
  speed(ms: number, records: number, bytes: number, totalBytes: number | undefined): Speed {
    this.#samples.push({ ms, records, bytes });
    while (this.#samples.length > 2 && (this.#samples[1]?.ms ?? ms) <= ms - WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0] ?? { ms, records, bytes };
    const seconds = (ms - first.ms) / 1_000;
    if (seconds <= 0) return { recordsPerSecond: 0, secondsLeft: undefined };
    const bytesPerSecond = (bytes - first.bytes) / seconds;
    const secondsLeft =
      totalBytes === undefined || bytesPerSecond <= 0 ? undefined : (totalBytes - bytes) / bytesPerSecond;
    return { recordsPerSecond: (records - first.records) / seconds, secondsLeft };
  }
}

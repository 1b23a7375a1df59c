import type { WorkerEntry } from "../run-load.ts";
import { TIMINGS } from "../timings.ts";

/**
 * When the epochs began and what was granted in them, as the workers wrote it down. Epochs are numbered by the store's
 * clock. Counted gross: a token that comes back counts as not granted only when it does so in the epoch of its grant,
 * before it is granted again.
 */
export class Epochs {
  readonly #granted = new Map<number, number>();
  /** Earliest sign of each epoch, in order. */
  readonly #starts: (readonly [epoch: number, atMs: number])[] = [];

  /** `entries` in order of time. */
  constructor(entries: readonly WorkerEntry[]) {
    for (const { entry } of entries) {
      if (entry.type === "returned") this.#granted.set(entry.epoch, this.granted(entry.epoch) - entry.tokens);
      if (entry.type !== "grant" && entry.type !== "share") continue;
      if (entry.type === "grant") this.#granted.set(entry.epoch, this.granted(entry.epoch) + entry.tokens);
      if (entry.epoch > (this.#starts.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY))
        this.#starts.push([entry.epoch, entry.atMs]);
    }
  }

  /** Tokens that all workers together granted in an epoch. */
  granted(epoch: number): number {
    return this.#granted.get(epoch) ?? 0;
  }

  /** The most that was granted in any epoch. */
  get most(): number {
    return Math.max(0, ...this.#granted.values());
  }

  get total(): number {
    return [...this.#granted.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /**
   * The epoch at a time: counted on from the last sign by then, so that epochs pass also while nobody says anything.
   * Before the first sign of any, the first. Undefined when there was none.
   */
  at(atMs: number): number | undefined {
    const sign = this.#starts.findLast(([, startMs]) => startMs <= atMs) ?? this.#starts[0];
    if (!sign) return undefined;
    const [epoch, startMs] = sign;
    return epoch + Math.max(0, Math.floor((atMs - startMs) / TIMINGS.intervalMs));
  }
}

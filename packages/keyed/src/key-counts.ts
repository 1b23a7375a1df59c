import type { CallCounts, CallResult } from "@dt/core";
import { Tally } from "@dt/core/internal";

/**
 * The calls that came by one limiter of a key. A grant at once costs one addition, and the rest is made when needed.
 */
export class KeyCounts {
  /** Calls that were granted at once. */
  granted = 0;
  #others: Tally | undefined;

  /** A call that waited, or was refused, has come out. */
  count(result: CallResult): void {
    this.#rest.count(result);
  }

  /** The limit made a call wait, or refused it. */
  limited(nowMs: number): void {
    this.#rest.limited(nowMs);
  }

  counts(): CallCounts {
    const counts = this.#rest.counts();
    return { ...counts, granted: counts.granted + this.granted };
  }

  isLimiting(nowMs: number): boolean {
    return this.#others?.isLimiting(nowMs) ?? false;
  }

  get #rest(): Tally {
    this.#others ??= new Tally();
    return this.#others;
  }
}

import type { BucketHold } from "@dt/core";
import type { TimedAnswer } from "@dt/core/internal";

/** A unit that is due so soon is due now: sums of times are rounded. */
const NOW_MS = 1 / 64;

/** Units that follow each other, from the first one's local time on. */
interface Run {
  dueMs: number;
  readonly everyMs: number;
  count: number;
}

/**
 * The units of one key that this process took ahead: those that may be spent now, and those that are due later. Times
 * are local, and on the safe side: a unit is due no earlier here than by the store's clock, and void no later.
 */
export class Hand {
  readonly #id: string;
  #seq = 0;
  /** All that was spent, and as much of it as the store was told. */
  #spent = 0;
  #told = 0;
  /** Units that may be spent. */
  #ready = 0;
  #runs: Run[] = [];
  /** Units of calls that wait for something else. */
  #open = 0;
  #untilMs = 0;
  /** Grows whenever all units in hand are void. */
  #voided = 0;

  constructor(id: string) {
    this.#id = id;
  }

  /** True where the store does not know all that was spent, or keeps units for this process. */
  get isUntold(): boolean {
    return this.#spent > this.#told || this.#ready > 0 || this.#runs.length > 0;
  }

  /** True while calls have units that they may give back. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** Until when the units may be spent; in the past where there are none. */
  get untilMs(): number {
    return this.#ready > 0 || this.#runs.length > 0 ? this.#untilMs : 0;
  }

  /** Units that may be spent now. */
  ready(nowMs: number): number {
    if (nowMs >= this.#untilMs) this.void();
    for (const run of this.#runs) {
      if (run.dueMs > nowMs + NOW_MS) continue;
      const due = Math.min(run.count, 1 + Math.floor((nowMs + NOW_MS - run.dueMs) / run.everyMs));
      this.#ready += due;
      run.count -= due;
      run.dueMs += due * run.everyMs;
    }
    if (this.#runs.some(({ count }) => count === 0)) this.#runs = this.#runs.filter(({ count }) => count > 0);
    return this.#ready;
  }

  /** All units in hand, those that are due later among them. */
  units(nowMs: number): number {
    return this.ready(nowMs) + this.#later;
  }

  /** The time until so many units may be spent; undefined where there are not so many. */
  waitMs(count: number, nowMs: number): number | undefined {
    let missing = count - this.ready(nowMs);
    if (missing <= 0) return 0;
    const runs = this.#runs.toSorted((a, b) => a.dueMs - b.dueMs);
    for (const run of runs) {
      if (run.count >= missing) return run.dueMs + (missing - 1) * run.everyMs - nowMs;
      missing -= run.count;
    }
    return undefined;
  }

  /** Takes units that are ready for a call. They are void for it once {@link isFresh} is false. */
  take(count: number): { readonly isFresh: (nowMs: number) => boolean; readonly settle: (spent: boolean) => void } {
    const voided = this.#voided;
    this.#ready -= count;
    this.#open += count;
    return {
      isFresh: (nowMs) => voided === this.#voided && nowMs < this.#untilMs,
      settle: (spent) => {
        if (voided !== this.#voided) return;
        this.#open -= count;
        if (spent) this.#spent += count;
        else this.#ready += count;
      },
    };
  }

  /** What the next request reports. Of the units at most `most` are kept; the others go back, the latest ones first. */
  report(nowMs: number, forMs: number, most: number = Number.POSITIVE_INFINITY): BucketHold {
    this.#drop(this.units(nowMs) - most);
    this.#seq += 1;
    this.#told = this.#spent;
    return { id: this.#id, seq: this.#seq, spent: this.#spent, keep: this.#kept, forMs };
  }

  /** The store has answered a report. */
  receive({ answer, sentMs, receivedMs }: TimedAnswer, { keep, forMs }: BucketHold): void {
    const { granted, firstMs, everyMs, storeTimeMs, inHand } = answer;
    // The store forgot what it kept: it was reset, or lost data.
    this.#drop(keep + granted - inHand);
    const lastMs = granted > 0 ? Math.max(0, firstMs + (granted - 1) * everyMs - storeTimeMs) : 0;
    this.#untilMs = Math.max(this.#kept > 0 ? this.#untilMs : 0, sentMs + lastMs + forMs);
    if (granted === 0) return;
    const now = Math.min(granted, Math.max(0, 1 + Math.floor((storeTimeMs + NOW_MS - firstMs) / everyMs)));
    this.#ready += now;
    if (granted === now) return;
    this.#runs.push({ dueMs: receivedMs + firstMs + now * everyMs - storeTimeMs, everyMs, count: granted - now });
  }

  /** Nothing in hand may be spent any more. */
  void(): void {
    if (this.#kept === 0) return;
    this.#voided += 1;
    this.#ready = 0;
    this.#runs = [];
    this.#open = 0;
  }

  get #later(): number {
    return this.#runs.reduce((sum, { count }) => sum + count, 0);
  }

  get #kept(): number {
    return this.#ready + this.#later + this.#open;
  }

  /** Gives up so many units, the latest ones first. */
  #drop(count: number): void {
    let left = count;
    while (left > 0 && this.#runs.length > 0) {
      const run = this.#runs.at(-1) as Run;
      const dropped = Math.min(left, run.count);
      run.count -= dropped;
      left -= dropped;
      if (run.count === 0) this.#runs.pop();
    }
    if (left > 0) this.#ready = Math.max(0, this.#ready - left);
  }
}

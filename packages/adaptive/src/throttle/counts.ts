import type { OutcomeCounts } from "./rejection.ts";

/** What a call, or an attempt at one, counts as. */
export type Counted = keyof OutcomeCounts;

/** Counts of the newest calls. */
export interface Counts {
  /** Forgets what is too old at this time. */
  advance(nowMs: number): void;
  /** Counts one; with -1 one that was counted is taken back, in whatever part of the window that was. */
  add(kind: Counted, by?: 1 | -1): void;
  readonly outcomes: OutcomeCounts;
  /** All that was counted. */
  readonly total: number;
}

const KINDS = ["successes", "failures", "overloads", "rejects"] as const;

/** A window is kept in so many parts; the oldest is forgotten as a whole. */
const PARTS = 20;

/** Counts of the last `windowMs`, give or take a twentieth. */
export class SlidingCounts implements Counts {
  readonly outcomes: Record<Counted, number> = { successes: 0, failures: 0, overloads: 0, rejects: 0 };
  total = 0;
  readonly #partMs: number;
  readonly #parts = new Float64Array(PARTS * KINDS.length);
  #part = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.#partMs = windowMs / PARTS;
  }

  advance(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs);
    if (part <= this.#part) return;
    const passed = Math.min(PARTS, part - this.#part);
    for (let step = 0; step < passed; step++) this.#forget(part - step);
    this.#part = part;
  }

  add(kind: Counted, by: 1 | -1 = 1): void {
    const at = this.#startOf(this.#part) + KINDS.indexOf(kind);
    this.#parts[at] = (this.#parts[at] as number) + by;
    this.outcomes[kind] += by;
    this.total += by;
  }

  /** Takes the counts that stand in the place of this part out of the sums. */
  #forget(part: number): void {
    const start = this.#startOf(part);
    for (const [i, kind] of KINDS.entries()) {
      const old = this.#parts[start + i] as number;
      this.outcomes[kind] -= old;
      this.total -= old;
      this.#parts[start + i] = 0;
    }
  }

  #startOf(part: number): number {
    return (((part % PARTS) + PARTS) % PARTS) * KINDS.length;
  }
}

/** Counts since the last reset; all are zeroed every `resetMs`, as in the Beam design. */
export class ResettingCounts implements Counts {
  outcomes: Record<Counted, number> = { successes: 0, failures: 0, overloads: 0, rejects: 0 };
  total = 0;
  readonly #resetMs: number;
  #sinceMs: number;

  constructor(resetMs: number, nowMs: number) {
    this.#resetMs = resetMs;
    this.#sinceMs = nowMs;
  }

  advance(nowMs: number): void {
    const passed = Math.floor((nowMs - this.#sinceMs) / this.#resetMs);
    if (passed < 1) return;
    // From where the last interval ended, so that late looks do not make them longer.
    this.#sinceMs += passed * this.#resetMs;
    this.outcomes = { successes: 0, failures: 0, overloads: 0, rejects: 0 };
    this.total = 0;
  }

  add(kind: Counted, by: 1 | -1 = 1): void {
    this.outcomes[kind] += by;
    this.total += by;
  }
}

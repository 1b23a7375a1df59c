/** What was granted in one epoch, by its number. */
export interface EpochRecord {
  tokens: number;
  readonly by: Map<string, number>;
}

/** A promise that was broken. */
export interface Violation {
  readonly atMs: number;
  readonly detail: string;
}

/** Adds up what all processes granted, and how far their clocks lay apart. */
export class Book {
  readonly violations: Violation[] = [];
  readonly epochs = new Map<number, EpochRecord>();
  granted = 0;
  /**
   * The most by which one process's idea of group time was behind another's, among answers of the last moments, in
   * milliseconds.
   */
  worstLagMs = 0;
  readonly #max: number;
  readonly #lastEpoch = new Map<string, number>();
  readonly #clocks = new Map<string, { readonly atMs: number; readonly offsetMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  grant(process: string, epoch: number, tokens: number, nowMs: number): void {
    const record = this.epochs.get(epoch) ?? { tokens: 0, by: new Map() };
    this.epochs.set(epoch, record);
    record.tokens += tokens;
    this.granted += tokens;
    record.by.set(process, (record.by.get(process) ?? 0) + tokens);
    if (record.tokens > this.#max) {
      const who = [...record.by].map(([by, n]) => `${by}: ${n}`).join(", ");
      this.violations.push({ atMs: nowMs, detail: `epoch ${epoch}: ${record.tokens} of ${this.#max}, by ${who}` });
    }
    const last = this.#lastEpoch.get(process) ?? Number.NEGATIVE_INFINITY;
    if (epoch < last) this.violations.push({ atMs: nowMs, detail: `${process}: epoch ${epoch} after ${last}` });
    this.#lastEpoch.set(process, epoch);
  }

  /** A process was answered a group time. */
  answered(process: string, storeTimeMs: number, nowMs: number): void {
    const offsetMs = storeTimeMs - nowMs;
    for (const [other, clock] of this.#clocks)
      if (other !== process && nowMs - clock.atMs < RECENT_MS)
        this.worstLagMs = Math.max(this.worstLagMs, Math.abs(clock.offsetMs - offsetMs));
    this.#clocks.set(process, { atMs: nowMs, offsetMs });
  }
}

const RECENT_MS = 500;

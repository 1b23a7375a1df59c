/** The most different times remembered: several stale ages. */
const LONGEST = 256;

/** When which group time was read from the head, on the local monotonic clock. */
export class HeadHistory {
  readonly #reads: { readonly timeMs: number; lastAtMs: number }[] = [];

  note(atMs: number, timeMs: number): void {
    const newest = this.#reads.at(-1);
    if (newest?.timeMs === timeMs) newest.lastAtMs = atMs;
    else this.#reads.push({ timeMs, lastAtMs: atMs });
    if (this.#reads.length > LONGEST) this.#reads.shift();
  }

  /** The group time that the first reading at `atMs` or later gave; a later one when that is not remembered. */
  firstReadSince(atMs: number): number | undefined {
    return this.#reads.find(({ lastAtMs }) => lastAtMs >= atMs)?.timeMs;
  }
}

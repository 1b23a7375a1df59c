/** What was used in a window, and when it ends. */
export interface Window {
  used: number;
  readonly endsMs: number;
}

/**
 * The window of each key. All are of one length, so they end in the order in which they began: the order of the map.
 */
export class Windows {
  /** Windows that were forgotten before they ended, since there were too many keys. */
  forgotten = 0;
  readonly #lengthMs: number;
  readonly #most: number;
  readonly #windows = new Map<string, Window>();

  constructor(lengthMs: number, most: number) {
    this.#lengthMs = lengthMs;
    this.#most = most;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** The window of a key, a new one where the last has ended. */
  at(key: string, nowMs: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && nowMs < known.endsMs) return known;
    this.#windows.delete(key);
    this.#clear(nowMs);
    const window = { used: 0, endsMs: nowMs + this.#lengthMs };
    this.#windows.set(key, window);
    return window;
  }

  /**
   * Makes room for one more. Two at most that have ended go each time: the map shrinks, and no request pays for all.
   */
  #clear(nowMs: number): void {
    let left = 2;
    for (const [key, { endsMs }] of this.#windows) {
      const ended = endsMs <= nowMs;
      if (left === 0 || (!ended && this.#windows.size < this.#most)) return;
      if (!ended) this.forgotten += 1;
      this.#windows.delete(key);
      left -= 1;
    }
  }
}

/** So many bytes in each window of time. */
export class Allowance {
  readonly #bytes: number;
  readonly #windowMs: number;
  #window = -1;
  #used = 0;

  constructor(bytes: number, windowMs: number) {
    this.#bytes = bytes;
    this.#windowMs = windowMs;
  }

  /** Takes bytes; false when so many are not left in this window. */
  take(bytes: number, nowMs: number): boolean {
    const window = Math.floor(nowMs / this.#windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#used = 0;
    }
    if (this.#used + bytes > this.#bytes) return false;
    this.#used += bytes;
    return true;
  }
}

/**
 * The line before a pool: at most so many callers at once, the others in the order in which they came. Who gives up
 * leaves the line, which a caller that waits in a pool of `pg` cannot.
 */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Resolves when it is the caller's turn, which ends with {@link end}; rejects with the signal's reason when that
   * aborts before.
   */
  async begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      this.#waiting.add(begin);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  end(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

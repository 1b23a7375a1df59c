/**
 * The queue before a pool: at most so many callers at once, the others in the order in which they came. Who gives up
 * leaves the queue, which a caller that waits in a pool of `pg` cannot.
 */
export class Queue {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Resolves when the caller may begin, until it calls {@link leave}; rejects with the signal's reason when that
   * aborts before.
   */
  async enter(signal: AbortSignal): Promise<void> {
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

  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

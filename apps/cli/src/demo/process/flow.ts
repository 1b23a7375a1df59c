/** A bounded number of operations under way. */
export class Flow {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room for one more. */
  async room(): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
  }

  /** Watches over an operation that has begun; `onError` is told when it fails. */
  add(operation: Promise<void>, onError: (error: unknown) => void): void {
    const settled = operation.catch(onError).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/**
 * The room that all connections of a server share for what they have sent and the server has not yet dealt with. A
 * frame has its room before it is read, so that the bound is never exceeded; who finds none waits until half of it is
 * free.
 */
export class BufferBudget {
  readonly #bound: number;
  readonly #waiting = new Set<() => void>();
  #used = 0;
  #most = 0;

  constructor(bound: number) {
    this.#bound = bound;
  }

  get used(): number {
    return this.#used;
  }

  /** The most that was ever used. */
  get most(): number {
    return this.#most;
  }

  /** Takes room; false when there is not so much. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#bound) return false;
    this.#used += bytes;
    this.#most = Math.max(this.#most, this.#used);
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    if (this.#used > this.#bound / 2 || this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    // Not at once: who wakes takes room and gives it back, and so on, as deep as there are connections.
    for (const wake of waiting) queueMicrotask(wake);
  }

  /** Calls back once when half of the room is free. */
  whenHalfFree(wake: () => void): void {
    this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}

/**
 * The most a processor may use in an epoch, from the answers it was given: what was answered as held holds at once
 * where it lowers, and from the first epoch that begins after the answer's store time plus the clock error where it
 * raises.
 */
export class Raises {
  #started = 0;
  #waiting: { readonly fromEpoch: number; readonly held: number }[] = [];

  /** An answer; `expired` when the validity of the one before it is over, so that nothing from before counts. */
  answered(held: number, fromEpoch: number, expired: boolean): void {
    this.#started = expired ? 0 : Math.min(this.#started, held);
    this.#waiting = expired ? [] : this.#waiting.map((raise) => ({ ...raise, held: Math.min(raise.held, held) }));
    if (held > this.#started) this.#waiting.push({ fromEpoch, held });
  }

  most(epoch: number): number {
    if (this.#waiting.length === 0) return this.#started;
    for (const { fromEpoch, held } of this.#waiting)
      if (fromEpoch <= epoch) this.#started = Math.max(this.#started, held);
    this.#waiting = this.#waiting.filter(({ fromEpoch, held }) => fromEpoch > epoch && held > this.#started);
    return this.#started;
  }
}

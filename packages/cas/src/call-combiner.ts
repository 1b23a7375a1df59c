/**
 * Runs calls in batches, one batch at a time: whatever is called while a batch runs makes up the next one. For stores
 * that change a whole group by one compare-and-swap, so that the calls of one process do not get in each other's way.
 */
export class CallCombiner<Call> {
  readonly #run: (calls: readonly Call[]) => Promise<void>;
  readonly #most: number;
  #waiting: Call[] = [];
  #running = false;

  /**
   * @param run settles each call of a batch in its own way, and never rejects
   * @param most calls in one batch
   */
  constructor(run: (calls: readonly Call[]) => Promise<void>, most: number) {
    this.#run = run;
    this.#most = most;
  }

  add(call: Call): void {
    this.#waiting.push(call);
    if (!this.#running) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#run(this.#waiting.splice(0, this.#most));
    this.#running = false;
  }
}

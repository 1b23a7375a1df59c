import { type BucketAnswer, DtError, type KeyedLedger, type MemoryStore, type Runtime } from "@dt/core";

/** The way of one process to the store. */
export interface LinkOptions {
  /** One way, in milliseconds. */
  readonly latencyMs?: number;
  /** The most that a way takes longer than that. */
  readonly jitterMs?: number;
  /** The part of requests whose answer is lost, once they took effect. */
  readonly lost?: number;
}

/** A connection to a store with a way that takes time, on which answers may be lost. */
export class Link implements KeyedLedger {
  readonly #store: MemoryStore;
  readonly #runtime: Runtime;
  readonly #options: LinkOptions;
  /** The store cannot be reached. */
  isDown = false;
  /** Nothing of the process runs: it is paused, or was killed. */
  isSilent = false;
  calls = 0;

  constructor(store: MemoryStore, runtime: Runtime, options: LinkOptions = {}) {
    this.#store = store;
    this.#runtime = runtime;
    this.#options = options;
  }

  async take(...args: Parameters<KeyedLedger["take"]>): Promise<readonly (BucketAnswer | DtError)[]> {
    this.calls += 1;
    await this.#way();
    if (this.isDown) throw new DtError("DT_STORE_UNAVAILABLE", "it is down");
    const answers = await this.#store.take(...args);
    await this.#way();
    if (this.#runtime.random() < (this.#options.lost ?? 0))
      throw new DtError("DT_STORE_TIMEOUT", "the answer was lost", { effect: "unknown" });
    return answers;
  }

  async resetBucket(...args: Parameters<NonNullable<KeyedLedger["resetBucket"]>>): Promise<void> {
    await this.#way();
    await this.#store.resetBucket(...args);
  }

  async #way(): Promise<void> {
    const { latencyMs = 0, jitterMs = 0 } = this.#options;
    const ms = latencyMs + this.#runtime.random() * jitterMs;
    if (ms > 0) await new Promise<void>((resolve) => void this.#runtime.setTimer(resolve, ms));
  }
}

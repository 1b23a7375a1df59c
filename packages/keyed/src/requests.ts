import { type BucketLimit, type DtError, isDtError } from "@dt/core";
import { type Batcher, batcherOf, type Events, SleepWatch, type TimedAnswer } from "@dt/core/internal";
import { mismatch, type Whose } from "./errors.ts";
import type { KeyedEvents } from "./events.ts";
import type { Asked, Counts } from "./key-home.ts";
import type { KeyedSettings } from "./options.ts";

/** Whether the machine was suspended is looked at so often, in milliseconds: a look takes longer than a decision. */
const LOOK_MS = 50;

/** The requests of a limit to its store: what came of them, and whether the machine slept meanwhile. */
export class Requests {
  readonly #settings: KeyedSettings;
  readonly #events: Events<KeyedEvents>;
  readonly #counts: Counts;
  readonly #onNap: () => void;
  readonly #batcher: Batcher;
  readonly #sleep: SleepWatch;
  readonly #asked = new Set<Promise<unknown>>();
  #lookedMs = Number.NEGATIVE_INFINITY;
  #lastCall: object | undefined;
  #lastError: DtError | undefined;

  /** @param onNap called once it is noticed that the machine was suspended */
  constructor(settings: KeyedSettings, events: Events<KeyedEvents>, counts: Counts, onNap: () => void) {
    this.#settings = settings;
    this.#events = events;
    this.#counts = counts;
    this.#onNap = onNap;
    this.#batcher = batcherOf(settings.store, settings.runtime);
    this.#sleep = new SleepWatch(settings.runtime);
  }

  /** Why the last one failed; undefined after a success. */
  get lastError(): DtError | undefined {
    return this.#lastError;
  }

  /** How often the machine was suspended, as far as that was noticed. */
  get naps(): number {
    const nowMs = this.#settings.runtime.now();
    if (nowMs - this.#lookedMs < LOOK_MS) return this.#sleep.count;
    this.#lookedMs = nowMs;
    if (this.#sleep.noticed()) this.#onNap();
    return this.#sleep.count;
  }

  /** Sends a request of a key with what travels together. */
  send({ key }: Whose, limit: BucketLimit, asked: () => Asked): Promise<TimedAnswer> {
    const { name, stored, storeTimeoutMs: timeoutMs } = this.#settings;
    const { naps } = this;
    const formerLimit = stored ? undefined : this.#settings.formerLimitOf(key);
    const sent = new Promise<TimedAnswer>((resolve, reject) => {
      this.#batcher.ask({
        timeoutMs,
        request: () => ({
          ...asked(),
          ...{ name, key, limit },
          ...(stored && { stored }),
          ...(formerLimit && { formerLimit }),
        }),
        answered: (timed) => {
          this.#lastError = undefined;
          if (this.naps === naps) this.#sleep.settle();
          resolve(timed);
        },
        failed: (cause) => {
          const error = isDtError(cause, "DT_PACE_MISMATCH") ? mismatch({ name, key }, cause) : cause;
          this.#failed(error);
          reject(error);
        },
        sent: (call) => this.#sent(call),
      });
    });
    this.#asked.add(sent);
    const done = (): void => void this.#asked.delete(sent);
    sent.then(done, done);
    return sent;
  }

  /** Resolves once all that were sent so far are answered, or have failed. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.#asked);
  }

  #failed(error: DtError): void {
    if (this.#lastError === error) return;
    this.#lastError = error;
    if (this.#events.has("storeError")) this.#events.emit("storeError", { error });
  }

  #sent(call: object): void {
    this.#counts.requests += 1;
    if (call === this.#lastCall) return;
    this.#lastCall = call;
    this.#counts.roundTrips += 1;
  }
}

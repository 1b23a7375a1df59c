import type { BucketLimit, LimitValues } from "@dt/core";
import { withDeadline } from "@dt/core/internal";
import type { KeyedSettings } from "./options.ts";
import { targetOf } from "./set-limit.ts";

/** It is read again no sooner, in milliseconds. */
const FRESH_MS = 1_000;
/** Calls wait for it where it was not looked at for so long, since the process was idle, in milliseconds. */
const STALE_MS = 2_000;

/** The limit that is stored for all keys of a name: read once a second while the limit is used. */
export class StoredForAll {
  readonly #settings: KeyedSettings;
  #values: LimitValues | undefined;
  #triedMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Calls wait for the reading that is under way. */
  #isAwaited = false;

  constructor(settings: KeyedSettings) {
    this.#settings = settings;
  }

  /**
   * What to wait for before a call is decided; undefined where that is not needed. It rejects with the store's error:
   * what is not known cannot decide.
   */
  use(): Promise<void> | undefined {
    const { stored, runtime } = this.#settings;
    if (!stored) return undefined;
    const ageMs = runtime.now() - this.#triedMs;
    if (this.#reading === undefined && ageMs >= FRESH_MS) {
      this.#isAwaited = ageMs >= STALE_MS;
      this.#reading = this.#read();
      // Where no call waits for it, the last one that was read counts: requests about keys tell that the store is away.
      this.#reading.catch(() => undefined);
    }
    return this.#isAwaited ? this.#reading : undefined;
  }

  /** The limit of a key that has none of its own in the store. */
  limitOf(code: BucketLimit): BucketLimit {
    return this.#values ? { ...code, ...this.#values } : code;
  }

  async #read(): Promise<void> {
    const { name, store, runtime, storeTimeoutMs: timeoutMs } = this.#settings;
    const what = "the limit of all keys";
    try {
      const record = await withDeadline(async (signal) => store.readLimit?.(targetOf(name), signal), {
        ...{ runtime, timeoutMs, what },
      });
      this.#values = record?.inForce ? record.values : undefined;
    } finally {
      this.#triedMs = runtime.now();
      this.#reading = undefined;
    }
  }
}

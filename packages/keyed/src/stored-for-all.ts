import type { BucketLimit, LimitValues } from "@dt/core";
import { withDeadline } from "@dt/core/internal";
import type { KeyedSettings } from "./options.ts";
import { targetOf } from "./set-limit.ts";

/** It is read again no sooner, in milliseconds. */
const FRESH_MS = 1_000;

/** The limit that is stored for all keys of a name: read once a second while the limit is used. */
export class StoredForAll {
  readonly #settings: KeyedSettings;
  #values: LimitValues | undefined;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(settings: KeyedSettings) {
    this.#settings = settings;
  }

  /** What to wait for before a call is decided; undefined where that is not needed. */
  use(): Promise<void> | undefined {
    const { stored, runtime } = this.#settings;
    if (!stored) return undefined;
    const isFirst = this.#readMs === Number.NEGATIVE_INFINITY;
    if (this.#reading === undefined && runtime.now() - this.#readMs >= FRESH_MS) this.#reading = this.#read();
    return isFirst ? this.#reading : undefined;
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
    } catch {
      // The last one that was read counts; requests about keys tell of a store that is away.
    } finally {
      this.#readMs = runtime.now();
      this.#reading = undefined;
    }
  }
}

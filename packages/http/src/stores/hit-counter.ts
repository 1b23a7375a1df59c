import { batcherOf, withDeadline } from "@dt/core/internal";
import { bucketKey } from "../bucket-key.ts";
import type { HitStoreSettings } from "./options.ts";

/** Hits of the window that runs. */
export interface Hits {
  /** Those that were refused among them. */
  readonly hits: number;
  /** When the window ends, in milliseconds from now; 0 where none runs. */
  readonly resetMs: number;
}

/**
 * Counts hits in fixed windows on the store's clock. Those of one turn of the event loop travel together, with the
 * requests of keyed limits of the same store.
 */
export class HitCounter {
  readonly #settings: HitStoreSettings;
  readonly #name: string;

  constructor(settings: HitStoreSettings, name: string = settings.name) {
    this.#settings = settings;
    this.#name = bucketKey(name);
  }

  /**
   * Adds to the hits of a key, takes back, or only looks. A window begins with its first hit.
   * @throws DtError the store's
   */
  count(key: string, by: number, windowMs: number): Promise<Hits> {
    const { store, runtime, storeTimeoutMs: timeoutMs } = this.#settings;
    const request = { name: this.#name, key: bucketKey(key), hits: { windowMs, by } };
    return new Promise((resolve, reject) => {
      batcherOf(store, runtime).ask({
        timeoutMs,
        request: () => request,
        answered: ({ answer }) => resolve({ hits: answer.hits, resetMs: answer.hitsResetMs }),
        failed: reject,
        sent: () => undefined,
      });
    });
  }

  /**
   * Forgets a key.
   * @throws DtError the store's
   */
  async reset(key: string): Promise<void> {
    const { store, runtime, storeTimeoutMs: timeoutMs } = this.#settings;
    const bucket = { name: this.#name, key: bucketKey(key) };
    await withDeadline(async (signal) => store.resetBucket?.(bucket, signal), {
      runtime,
      timeoutMs,
      what: `a reset of the hits ${this.#name}`,
    });
  }
}

import type { DocumentCell, Replaced, StoredDocument } from "@dt/cas";
import { ABSENT, type Committed, type Driver, type Entries } from "../driver.ts";
import type { Leases } from "./leases.ts";

/**
 * A document in one key of etcd, bound to a lease that outlasts what is in it; on none where that is for ever.
 */
export class EtcdDocumentCell implements DocumentCell {
  readonly name: string;
  readonly #driver: Driver;
  readonly #key: string;
  readonly #leases: Leases;
  readonly #leastMs: number;

  /** @param leastMs how long the key is kept after each write at least, in milliseconds */
  constructor(driver: Driver, key: string, leases: Leases, leastMs: number) {
    this.name = `etcd key ${key}`;
    this.#driver = driver;
    this.#key = key;
    this.#leases = leases;
    this.#leastMs = leastMs;
  }

  async read(): Promise<StoredDocument | undefined> {
    return this.#in(await this.#driver.read([this.#key]));
  }

  async replace(from: string | undefined, text: string, keepMs: number): Promise<Replaced> {
    const isKept = keepMs === Number.POSITIVE_INFINITY;
    const lease = isKept ? undefined : await this.#leases.lasting(Math.max(keepMs, this.#leastMs));
    try {
      const committed = await this.#commit(from, text, lease);
      if (committed.done) return { done: true, revision: committed.revision };
      const found = this.#in(committed.found);
      return { done: false, look: async () => found };
    } catch (error) {
      if (lease === undefined || !(error instanceof Error) || !error.message.includes("requested lease not found"))
        throw error;
      // Nothing was written: somebody revoked the lease, or this process stood still while it ended.
      await this.#leases.forget(lease);
      return { done: false, look: () => this.read() };
    }
  }

  #commit(from: string | undefined, value: string, lease: string | undefined): Promise<Committed> {
    return this.#driver.commit({
      unchanged: new Map([[this.#key, from ?? ABSENT]]),
      puts: [{ key: this.#key, value, lease }],
      deletes: [],
      otherwise: [this.#key],
    });
  }

  #in(entries: Entries): StoredDocument | undefined {
    const entry = entries.get(this.#key);
    return entry && { text: entry.value, revision: entry.revision };
  }
}

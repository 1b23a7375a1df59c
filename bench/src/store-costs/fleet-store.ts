import type { CoordinationStore, StoreCapabilities } from "@dt/core";
import { Sema } from "async-sema";

/**
 * Calls under way at once: an adapter made for one process refuses a queue of thousands, which a fleet of processes
 * would not make.
 */
const mostCalls = 50;

/**
 * A store as a whole fleet in one process uses it: counts syncs, listens once for all members, and holds hints back
 * while the fleet is brought up (hints may be lost), since every join would otherwise make everybody sync. A call waits
 * here when too many are under way.
 */
export class FleetStore implements CoordinationStore {
  syncs = 0;
  hintsPass = false;
  readonly capabilities: StoreCapabilities;
  readonly register: CoordinationStore["register"];
  readonly sync: CoordinationStore["sync"];
  readonly deregister: CoordinationStore["deregister"];
  readonly inspect: CoordinationStore["inspect"];
  readonly onHint?: NonNullable<CoordinationStore["onHint"]>;
  readonly #places = new Sema(mostCalls);
  readonly #listeners = new Set<() => void>();
  readonly #listening = new Map<string, Promise<() => void>>();

  constructor(inner: CoordinationStore) {
    this.capabilities = inner.capabilities;
    this.register = (...call) => this.#inTurn(() => inner.register(...call));
    this.deregister = (...call) => this.#inTurn(() => inner.deregister(...call));
    this.inspect = inner.inspect.bind(inner);
    this.sync = (...call) =>
      this.#inTurn(() => {
        this.syncs += 1;
        return inner.sync(...call);
      });
    if (!inner.onHint) return;
    const onHint = inner.onHint.bind(inner);
    this.onHint = async (group, listener) => {
      this.#listeners.add(listener);
      const listening = this.#listening.get(group) ?? onHint(group, () => this.hintsPass && this.hint());
      this.#listening.set(group, listening);
      await listening;
      return () => void this.#listeners.delete(listener);
    };
  }

  /** Tells every member to sync soon. */
  hint(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Does some work while no call is under way: each call then counts wholly before it or wholly after it. */
  async betweenCalls<T>(work: () => Promise<T>): Promise<T> {
    for (let place = 0; place < mostCalls; place++) await this.#places.acquire();
    try {
      return await work();
    } finally {
      for (let place = 0; place < mostCalls; place++) this.#places.release();
    }
  }

  async #inTurn<T>(call: () => Promise<T>): Promise<T> {
    await this.#places.acquire();
    try {
      return await call();
    } finally {
      this.#places.release();
    }
  }

  /** Ends listening; the store itself stays open. */
  async close(): Promise<void> {
    this.#listeners.clear();
    for (const listening of this.#listening.values()) (await listening)();
  }
}

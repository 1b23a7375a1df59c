import type { CoordinationStore, StoreCapabilities } from "@dt/core";

/**
 * A store as a whole fleet in one process uses it: counts syncs, listens once for all members, and holds hints back while the fleet is
 * brought up (hints may be lost), since every join would otherwise make everybody sync.
 */
export class FleetStore implements CoordinationStore {
  syncs = 0;
  hintsPass = false;
  readonly capabilities: StoreCapabilities;
  readonly register: CoordinationStore["register"];
  readonly sync: CoordinationStore["sync"];
  readonly deregister: CoordinationStore["deregister"];
  readonly inspect: CoordinationStore["inspect"];
  readonly watch?: NonNullable<CoordinationStore["watch"]>;
  readonly #listeners = new Set<() => void>();
  readonly #watches = new Map<string, Promise<() => void>>();

  constructor(inner: CoordinationStore) {
    this.capabilities = inner.capabilities;
    this.register = inner.register.bind(inner);
    this.deregister = inner.deregister.bind(inner);
    this.inspect = inner.inspect.bind(inner);
    this.sync = (...call) => {
      this.syncs += 1;
      return inner.sync(...call);
    };
    if (!inner.watch) return;
    const watch = inner.watch.bind(inner);
    this.watch = async (group, onChange) => {
      this.#listeners.add(onChange);
      const watching = this.#watches.get(group) ?? watch(group, () => this.hintsPass && this.hint());
      this.#watches.set(group, watching);
      await watching;
      return () => void this.#listeners.delete(onChange);
    };
  }

  /** Tells every member to sync soon. */
  hint(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Ends listening; the store itself stays open. */
  async close(): Promise<void> {
    this.#listeners.clear();
    for (const watching of this.#watches.values()) (await watching)();
  }
}

import type { CoordinationStore } from "@dt/core";

/** A store without hints with some parts of its own: a store's methods are its class's, and are not copied with it. */
export function altered(store: CoordinationStore, parts: Partial<CoordinationStore>): CoordinationStore {
  return {
    capabilities: store.capabilities,
    register: (...said) => store.register(...said),
    sync: (...said) => store.sync(...said),
    deregister: (...said) => store.deregister(...said),
    inspect: (...said) => store.inspect(...said),
    repair: (...said) => (store as Required<CoordinationStore>).repair(...said),
    close: () => store.close(),
    ...parts,
  };
}

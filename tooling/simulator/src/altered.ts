import type { CoordinationStore } from "@dt/core";

/** A store with some parts of its own: a store's methods are its class's, and are not copied with it. */
export function altered(store: CoordinationStore, parts: Partial<CoordinationStore>): CoordinationStore {
  const { onHint, onSlotHint, repair } = store;
  return {
    capabilities: store.capabilities,
    register: (...said) => store.register(...said),
    sync: (...said) => store.sync(...said),
    deregister: (...said) => store.deregister(...said),
    inspect: (...said) => store.inspect(...said),
    ...(onHint && { onHint: onHint.bind(store) }),
    ...(onSlotHint && { onSlotHint: onSlotHint.bind(store) }),
    ...(repair && { repair: repair.bind(store) }),
    close: () => store.close(),
    ...parts,
  };
}

import type { Simulated } from "./flaw.ts";

/** A store of which some calls do something else. */
export function altered(store: Simulated, changes: Partial<Simulated>): Simulated {
  return {
    capabilities: store.capabilities,
    register: (...args) => store.register(...args),
    sync: (...args) => store.sync(...args),
    deregister: (...args) => store.deregister(...args),
    inspect: (...args) => store.inspect(...args),
    repair: (...args) => store.repair(...args),
    list: (...args) => store.list(...args),
    watch: (...args) => store.watch(...args),
    reserve: (...args) => store.reserve(...args),
    release: (...args) => store.release(...args),
    resetPermits: (...args) => store.resetPermits(...args),
    inspectPermits: (...args) => store.inspectPermits(...args),
    listPermits: (...args) => store.listPermits(...args),
    watchPermits: (...args) => store.watchPermits(...args),
    close: () => store.close(),
    ...changes,
  };
}

/** A call that never settles. */
export const never = (): Promise<never> => new Promise(() => {});

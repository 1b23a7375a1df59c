import type { StoreTarget } from "@dt/conformance";
import type { Runtime } from "@dt/core";
import type { Flaw } from "./flaw.ts";
import { simulatedDamage } from "./simulated-damage.ts";
import { SimulatedServer } from "./simulated-server.ts";
import { simulatedCapabilities, simulatedStore } from "./simulated-store.ts";

/** A server with its stores, all with the same flaw, and every fault. */
export function simulatedTarget(name: string, runtime: Runtime, flaw: Flaw): StoreTarget {
  const server = new SimulatedServer(runtime, flaw.table);
  const createStore = () => {
    const store = simulatedStore(server, flaw);
    return flaw.wrap ? flaw.wrap(store, server) : store;
  };
  return {
    name,
    capabilities: { ...simulatedCapabilities, ...flaw.capabilities },
    createStore,
    // The simulated client has no clock of its own, so that every store is one whose host's clock does not matter.
    createSkewedStore: createStore,
    faults: server.faults,
    damage: simulatedDamage(server, flaw),
    roundTrips: () => server.trips,
    ...(flaw.transactions && {
      holdUp: async (group: string) => {
        const unlock = await server.lock(server.table(group), false);
        return async () => unlock();
      },
    }),
    maxMembers: 80,
    runtime,
  };
}

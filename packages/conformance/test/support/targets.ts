import type { StoreTarget } from "@dt/conformance";
import { MemoryStore } from "@dt/core";

/** The store in memory: a clock and data of its own, in this process. */
export const memoryTarget: StoreTarget = {
  name: "memory",
  capabilities: {
    name: "memory",
    clock: "host",
    ledger: true,
    losesData: false,
    hints: true,
    demand: true,
    slots: true,
  },
  permits: true,
  sharesData: false,
  createStore: () => new MemoryStore(),
};

// A store's whole conformance test under jest, whose describe and it are globals.
const { conformance } = require("./bundle.cjs");
const { MemoryStore } = require("./core.cjs");

conformance(
  { describe, it },
  {
    name: "memory",
    capabilities: new MemoryStore().capabilities,
    sharesData: false,
    createStore: () => new MemoryStore(),
  },
);

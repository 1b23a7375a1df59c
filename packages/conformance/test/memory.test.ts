import { conformance, type StoreTarget } from "@dt/conformance";
import { MemoryStore } from "@dt/core";
import { describe, it } from "vitest";

const target: StoreTarget = {
  name: "memory",
  capabilities: { name: "memory", clock: "host", ledger: true, losesData: false, push: true },
  sharesData: false,
  createStore: () => new MemoryStore(),
};

conformance({ describe, it }, target);

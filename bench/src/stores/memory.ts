import type { BenchStore } from "./bench-store.ts";

export const memory: BenchStore = {
  name: "memory",
  callsPerRound: 50_000,
  start: async () => {
    const { MemoryStore } = await import("@dt/core");
    const store = new MemoryStore();
    return { store, configuration: "MemoryStore, in this process", stop: () => store.close() };
  },
};

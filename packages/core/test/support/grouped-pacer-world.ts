import { createGroupedPacer, type GroupedPacer, type GroupedPacerOptions, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { START_MS } from "./pacer-world.ts";

export interface GroupedPacerWorld {
  readonly runtime: VirtualRuntime;
  readonly stores: { readonly eu: MemoryStore; readonly us: MemoryStore };
  create(site: "eu" | "us", more?: Partial<GroupedPacerOptions>): GroupedPacer;
}

/** Pacers of one name in virtual time, at two sites that share ten permits a second: one every 200 ms each. */
export function groupedPacerWorld(options: Partial<GroupedPacerOptions> = {}): GroupedPacerWorld {
  const runtime = new VirtualRuntime({ startMs: START_MS });
  const stores = { eu: new MemoryStore({ runtime }), us: new MemoryStore({ runtime }) };
  const sites = { eu: { store: stores.eu }, us: { store: stores.us } };
  return {
    runtime,
    stores,
    create: (site, more) => createGroupedPacer({ name: "k", rate: 10, sites, site, runtime, ...options, ...more }),
  };
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { createThrottle, MemoryStore } from "@dt/core";

/** What a fleet runs: the real throttle and the reference store, or those of a deliberately broken copy. */
export interface FleetCore {
  readonly createThrottle: typeof createThrottle;
  readonly MemoryStore: typeof MemoryStore;
}

/** Loads it from a folder of core's sources: `packages/core/src`, or a copy of it. */
export async function loadFleetCore(sourceFolder: string): Promise<FleetCore> {
  return (await import(pathToFileURL(join(sourceFolder, "index.ts")).href)) as FleetCore;
}

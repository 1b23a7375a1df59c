import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { createGroupedPacer, createPacer, DtError } from "@dt/core";
import type { instantOf, releasePermits, reservePermits } from "@dt/core/ledger";
import type { MemoryPermitTable } from "../../../../../packages/core/src/permits/memory-permit-table.ts";

/** What a world of pacers runs: the real functions, or those of a deliberately broken copy. */
export interface PermitCore {
  readonly createPacer: typeof createPacer;
  readonly createGroupedPacer: typeof createGroupedPacer;
  readonly DtError: typeof DtError;
  readonly reservePermits: typeof reservePermits;
  readonly releasePermits: typeof releasePermits;
  readonly instantOf: typeof instantOf;
  readonly MemoryPermitTable: typeof MemoryPermitTable;
}

/** Loads core from a folder of its sources: `packages/core/src`, or a copy of it. */
export async function loadPermitCore(sourceFolder: string): Promise<PermitCore> {
  const load = (file: string): Promise<object> => import(pathToFileURL(join(sourceFolder, file)).href);
  const parts = await Promise.all(["index.ts", "ledger/index.ts", "permits/memory-permit-table.ts"].map(load));
  return Object.assign({}, ...parts) as PermitCore;
}

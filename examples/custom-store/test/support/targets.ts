import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreTarget } from "@dt/conformance";
import { lmdbCapabilities, lmdbStore } from "../../src/index.ts";

/**
 * A target with a file of its own: start it before the suite runs, stop it afterwards.
 * @param maxMembers the largest group
 */
export function lmdbTarget(maxMembers = 1_200): StoreTarget & { start(): Promise<void>; stop(): Promise<void> } {
  let folder: string;
  return {
    name: "lmdb",
    capabilities: lmdbCapabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    async start() {
      folder = mkdtempSync(join(tmpdir(), "dt-lmdb-"));
    },
    stop: async () => rmSync(folder, { recursive: true, force: true }),
    // 1,200 members in one process keep it busy for longer than a call may take in production.
    createStore: () => lmdbStore({ path: join(folder, "limits.mdb"), timeoutMs: 5_000 }),
  };
}

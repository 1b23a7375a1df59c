import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchStore } from "./bench-store.ts";

export const sqlite: BenchStore = {
  name: "sqlite",
  callsPerRound: 1_000,
  start: async () => {
    const { sqliteStore } = await import("@dt/sqlite");
    const { sqlite: version } = process.versions;
    const folder = await mkdtemp(join(tmpdir(), "dt-bench-"));
    const store = sqliteStore({ path: join(folder, "bench.db") });
    return {
      store,
      configuration: `SQLite ${version}, one file in the system's temporary folder, one process`,
      stop: async () => {
        await store.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

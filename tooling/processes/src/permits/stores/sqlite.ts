import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { PermitStore } from "./permit-store.ts";

/** No server and no network: what stands still is whoever holds the file's lock. */
export const sqlite: PermitStore = {
  name: "sqlite",
  async start() {
    const folder = mkdtempSync(join(tmpdir(), "dt-permits-"));
    const path = join(folder, "permits.db");
    return {
      module: "@dt/sqlite",
      factory: "sqliteStore",
      options: { path },
      standStill: async (ms) => {
        const database = new DatabaseSync(path, { timeout: 5_000 });
        database.exec("BEGIN IMMEDIATE");
        await sleep(ms);
        database.exec("ROLLBACK");
        database.close();
      },
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

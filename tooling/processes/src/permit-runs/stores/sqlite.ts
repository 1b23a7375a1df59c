import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type RunStore, timeout } from "./run-store.ts";

export const sqlite: RunStore = {
  name: "sqlite",
  async start() {
    const folder = mkdtempSync(join(tmpdir(), "dt-permit-runs-"));
    const { version } = new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS version").get() as {
      version: string;
    };
    return {
      module: "@dt/sqlite",
      factory: "sqliteStore",
      options: { path: join(folder, "permits.db"), timeout },
      configuration: `SQLite ${version}, one file on a local disk`,
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

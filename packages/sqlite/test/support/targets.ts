import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { sqliteCapabilities, sqliteStore } from "@dt/sqlite";
import { sqliteDamage } from "./damage.ts";

/** A target with a file of its own: start it before the suite runs, stop it afterwards. */
export function sqliteTarget(): StoreTarget & { start(): Promise<void>; stop(): Promise<void> } {
  let folder: string;
  let locker: DatabaseSync | undefined;
  const path = () => join(folder, "throttle.db");
  const lock = (): DatabaseSync => {
    const database = new DatabaseSync(path());
    database.exec("BEGIN IMMEDIATE");
    return database;
  };
  return {
    name: "sqlite",
    capabilities: sqliteCapabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    async start() {
      folder = mkdtempSync(join(tmpdir(), "dt-sqlite-"));
    },
    stop: async () => rmSync(folder, { recursive: true }),
    createStore: () => sqliteStore({ path: path() }),
    createSkewedStore: (skewMs) =>
      sqliteStore({ path: path(), runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs } }),
    async holdUp() {
      const database = lock();
      return async () => database.close();
    },
    damage: sqliteDamage(path),
    faults: {
      // There is no server to stop. What stops everybody is a process that keeps the write lock.
      async pause() {
        locker = lock();
      },
      async resume() {
        locker?.close();
      },
    },
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { conformance, type StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { sqliteCapabilities, sqliteStore } from "@dt/sqlite";
import { afterAll, describe, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "dt-sqlite-"));
const path = join(folder, "throttle.db");
afterAll(() => rmSync(folder, { recursive: true }));

let locker: DatabaseSync | undefined;

const target: StoreTarget = {
  name: "sqlite",
  capabilities: sqliteCapabilities,
  createStore: () => sqliteStore({ path }),
  createSkewedStore: (skewMs) =>
    sqliteStore({ path, runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs } }),
  faults: {
    // There is no server to stop. What stops everybody is a process that keeps the write lock.
    async pause() {
      locker = new DatabaseSync(path);
      locker.exec("BEGIN IMMEDIATE");
    },
    async resume() {
      locker?.close();
    },
  },
};

conformance({ describe, it }, target);

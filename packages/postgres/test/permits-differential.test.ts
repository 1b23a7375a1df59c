import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import {
  compareEdges,
  comparePermits,
  REACHABLE,
  type Reached,
  type TimedLedger,
} from "@dt-tooling/simulator/permit-operations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";

/**
 * The store against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same reservations and refusals, to the last digit of every time.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let ledger: TimedLedger;
const schema = `permits_differential_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  const clock = await TestClock.install(admin, schema);
  ledger = {
    async reserve(key, request, clockMs) {
      await clock.set(clockMs);
      return store.reserve(key, request);
    },
    async release(key, release, clockMs) {
      await clock.set(clockMs);
      return store.release(key, release);
    },
    async reset(key, clockMs) {
      await clock.set(clockMs);
      return store.resetPermits(key);
    },
    async inspect(key, clockMs) {
      await clock.set(clockMs);
      return store.inspectPermits(key);
    },
  };
});

afterAll(async () => {
  await store?.close();
  await admin?.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await admin?.close();
  await server?.stop();
});

const START_MS = 1_800_000_000_000;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 10 }, (_, i) => i + 1);

describe("the store and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("over 500 random operations, seed %i", async (seed) => {
    const options = { seed, operations: 500, startMs: START_MS, key: `seed ${seed}` };
    for (const what of await comparePermits(ledger, options)) everReached.add(what);
  });

  test("at the edges that chance seldom comes to", () => compareEdges(ledger, START_MS));

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE].sort());
  });
});

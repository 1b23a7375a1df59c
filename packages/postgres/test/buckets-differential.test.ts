import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import {
  compareBuckets,
  compareEdges,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
  type TimedBuckets,
} from "@dt-tooling/simulator/bucket-operations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";
import { writeLimitRecord } from "./support/write-limit-record.ts";

/**
 * The store against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same answers and refusals, to the last digit of every number.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let ledger: TimedBuckets;
const schema = `buckets_differential_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  // The arithmetic forgets no bucket, also when the clock is years ahead and comes back.
  await admin.run(
    `CREATE OR REPLACE FUNCTION ${schema}.dt_bucket_sweep(p_requests integer) RETURNS void LANGUAGE sql AS ''`,
  );
  const clock = await TestClock.install(admin, schema);
  ledger = {
    async take(requests, clockMs) {
      await clock.set(clockMs);
      return store.take(requests);
    },
    async reset(bucket, clockMs) {
      await clock.set(clockMs);
      return store.resetBucket(bucket);
    },
    async inspect(bucket, clockMs) {
      await clock.set(clockMs);
      return store.inspectBucket(bucket);
    },
    setLimit: (bucket, record) => writeLimitRecord(admin, schema, { kind: "keyed", ...bucket }, record),
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
const seeds = Array.from({ length: 16 }, (_, i) => i + 1);

describe("the store and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("over 300 random operations, seed %i", { timeout: 60_000 }, async (seed) => {
    const options = { seed, operations: 300, startMs: START_MS, name: `seed ${seed}` };
    for (const what of await compareBuckets(ledger, options)) everReached.add(what);
  });

  test("at the edges that chance seldom comes to", { timeout: 60_000 }, () => compareEdges(ledger, START_MS));

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
  });
});

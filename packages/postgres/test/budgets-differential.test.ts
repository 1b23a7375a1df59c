import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import {
  compareBudgets,
  compareEdges,
  REACHABLE,
  type Reached,
  type TimedBudgets,
} from "@dt-tooling/simulator/budget-operations";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";

/**
 * The store against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same answers and refusals, to the last digit of every number.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let ledger: TimedBudgets;
const schema = `budgets_differential_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  const clock = await TestClock.install(admin, schema);
  ledger = {
    async spend(budget, request, clockMs) {
      await clock.set(clockMs);
      return store.spend(budget, request);
    },
    async reset(budget, clockMs) {
      await clock.set(clockMs);
      return store.resetBudget(budget);
    },
    async inspect(budget, clockMs) {
      await clock.set(clockMs);
      return store.inspectBudget(budget);
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
    const options = { seed, operations: 500, startMs: START_MS, budget: `seed ${seed}` };
    for (const what of await compareBudgets(ledger, options)) everReached.add(what);
  });

  test("at the edges that chance seldom comes to", () => compareEdges(ledger, START_MS));

  test("where the sum of a clock that went back and its offset is rounded to less", async () => {
    const request = spendRequest();
    for (const clockMs of [START_MS + 2 ** -12, 1_000 + 2 ** -13])
      expect(await ledger.spend("rounded", request, clockMs)).toMatchObject({ storeTimeMs: START_MS + 2 ** -12 });
  });

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE].sort());
  });
});

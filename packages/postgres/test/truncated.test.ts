import { createThrottle, type Throttle } from "@dt/core";
import { type PostgresServer, startPostgres, until } from "@dt-tooling/backends";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, type TestContext, test } from "vitest";
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { ample } from "./support/spend-requests.ts";

/**
 * Tables that somebody emptied: every statement ends by itself, what is missing is made again, and the group goes on. A
 * statement that looks for its group's row until there is one runs on in the server, also after every store was closed.
 */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** SQLSTATE deadlock_detected. */
const DEADLOCK = "40P01";

let schemas = 0;

/** A schema of one test's own: tests wait for stale ages, and do so together. */
function ownSchema({ onTestFinished }: TestContext) {
  const schema = `truncated_${++schemas}`;
  const admin = new Admin(server.url);
  onTestFinished(() => admin.close());
  return {
    openStore(options: Partial<PostgresStoreOptions> = {}): PostgresStore {
      const store = postgresStore({ schema, connectionString: server.url, timeout: "10s", ...options });
      onTestFinished(() => store.close());
      return store;
    },
    /** Empties tables, whose ids then begin anew. */
    async empty(...tables: readonly string[]): Promise<void> {
      const truncate = `TRUNCATE ${tables.map((table) => `${schema}.${table}`).join(", ")} RESTART IDENTITY`;
      await until("the tables are empty", 10_000, async () => {
        const problem = await admin.run(truncate).catch((error: { code?: string }) => error);
        // It locks the tables in its own order: PostgreSQL may choose to end it for a call that has one of them.
        if (problem && problem.code !== DEADLOCK) throw problem;
        return problem === undefined;
      });
    },
    /** Statements of stores that have been running for longer than any of them may. */
    spinning: (): Promise<number> =>
      admin.number(
        `SELECT count(*) FROM pg_stat_activity
         WHERE application_name = '@dt/postgres' AND state = 'active' AND query LIKE '%${schema}%'
           AND clock_timestamp() - query_start > interval '3 seconds'`,
      ),
  };
}

async function started(throttle: Throttle): Promise<boolean> {
  await throttle.start();
  return true;
}

describe.concurrent("tables emptied under load", () => {
  test.for([
    [["dt_group"]],
    [["dt_ledger"]],
    [["dt_member"]],
    [["dt_ledger", "dt_member"]],
    [["dt_group", "dt_ledger", "dt_member"]],
    [["dt_group", "dt_ledger", "dt_member", "dt_level", "dt_boot"]],
  ])("%j: nobody spins, and eight throttles agree again", async ([tables = []], context) => {
    const { expect } = context;
    const { openStore, empty, spinning } = ownSchema(context);
    await openStore().inspect("g");
    const throttles = Array.from({ length: 8 }, (): Throttle => {
      const store = openStore({ timeout: "2s" });
      const throttle = createThrottle({ name: "g", max: 80, shares: "even", storeTimeout: "2s", store });
      context.onTestFinished(() => throttle.stop());
      return throttle;
    });
    // How they start is not looked at here: the first call on a connection may take its time, and 48 come at once.
    await Promise.all(throttles.map((throttle) => until("it has started", 60_000, () => started(throttle))));
    const agree = (): boolean =>
      throttles.every((throttle) => throttle.status().agreed && throttle.status().members === 8);
    await until("they agree", 30_000, agree);
    for (let round = 0; round < 3; round++) await empty(...tables);
    const observer = openStore();
    await until("everybody is on record again", 30_000, async () => {
      expect(await spinning()).toBe(0);
      const { members, memberCount, held } = await observer.inspect("g");
      return members.length === 8 && memberCount === 8 && held === 80;
    });
    await until("they agree again", 30_000, agree);
  });

  test.for([
    [["dt_permit_key"]],
    [["dt_permit_state"]],
    [["dt_permit"]],
    [["dt_permit_state", "dt_permit", "dt_permit_freed", "dt_permit_queue"]],
    [["dt_permit_key", "dt_permit_state", "dt_permit", "dt_permit_freed", "dt_permit_queue"]],
  ])("%j: permits are given again", async ([tables = []], context) => {
    const { expect } = context;
    const { openStore, empty, spinning } = ownSchema(context);
    const store = openStore();
    const request = { everyMs: 10, maxReserved: 1_000 };
    for (let round = 0; round < 3; round++) {
      const given = await Promise.all(Array.from({ length: 20 }, () => store.reserve("k", permitRequest(request))));
      expect(given.map(({ granted }) => granted)).toEqual(given.map(() => 1));
      await empty(...tables);
    }
    expect(await store.reserve("k", permitRequest(request))).toMatchObject({ granted: 1 });
    expect(await spinning()).toBe(0);
  });

  test.for([
    [["dt_budget"]],
    [["dt_budget_state"]],
    [["dt_budget_limit"]],
    [["dt_budget_lease"]],
    [["dt_budget_state", "dt_budget_limit", "dt_budget_lease"]],
    [["dt_budget", "dt_budget_state", "dt_budget_limit", "dt_budget_lease"]],
  ])("%j: budgets are spent again", async ([tables = []], context) => {
    const { expect } = context;
    const { openStore, empty, spinning } = ownSchema(context);
    const store = openStore();
    for (let round = 0; round < 3; round++) {
      const given = await Promise.all(Array.from({ length: 20 }, () => store.spend("b", ample())));
      expect(given.map(({ granted }) => granted)).toEqual(given.map(() => true));
      await empty(...tables);
    }
    expect(await store.spend("b", ample())).toMatchObject({ granted: true });
    expect(await spinning()).toBe(0);
  });
});

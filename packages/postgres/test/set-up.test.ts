import { createThrottle } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PostgresStoreOptions } from "../src/index.ts";
import { addressOf, admin, keep, newName, openStore, schema, server, useOwnServer } from "./support/own-server.ts";

/**
 * Every statement that makes or changes an object waits that long, as with triggers for auditing. The schema is some
 * hundred and fifty such statements: together half as long again as a call may take.
 */
const STATEMENT_S = 0.01;

useOwnServer();

/** A database of the test's own, in which making the schema is slow. */
let connectionString: string;
let database: string;

beforeEach(async () => {
  database = newName();
  await admin.run(`CREATE DATABASE ${database}`);
  connectionString = addressOf({ database });
  await run(`
    CREATE FUNCTION slow_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${STATEMENT_S}); END $$;
    CREATE EVENT TRIGGER slow_ddl ON ddl_command_end EXECUTE FUNCTION slow_ddl();`);
});

afterEach(() => admin.run(`DROP DATABASE ${database} WITH (FORCE)`));

describe("making the schema has a deadline of its own", () => {
  test("which start() waits for, at the defaults", async () => {
    const throttle = createThrottle({ name: "g", max: 10, store: openStore({ connectionString }) });
    await throttle.start();
    await until("a token is granted", 5_000, async () => throttle.tryAcquire() || undefined);
    await throttle.stop();
  });

  test("and so a first call does, of several at once one for all", async () => {
    const store = openStore({ connectionString });
    const calls = [store.register("g", newcomer()), store.inspectPermits("k"), store.setUp()] as const;
    const [view, permits] = await Promise.all(calls);
    expect(view).toMatchObject({ members: 1 });
    expect(permits).toBeUndefined();
    expect(await store.list()).toEqual({ groups: ["g"] });
  });

  test("for which others wait that come meanwhile", async () => {
    const stores = Array.from({ length: 4 }, () => openStore({ connectionString }));
    const views = await Promise.all(stores.map((store) => store.register("g", newcomer())));
    expect(views.map((view) => view.status)).not.toContain("unknown");
    expect(await stores[0]?.inspect("g")).toMatchObject({ memberCount: 4 });
  });

  test("when the schema was dropped from under a store that works", async () => {
    const store = openStore({ connectionString });
    await store.inspect("g");
    await run(`DROP SCHEMA ${schema} CASCADE`);
    expect(await store.register("g", newcomer())).toMatchObject({ members: 1 });
  });

  test("also where the role has shorter ones for every statement, and a pool handed in too", async () => {
    await run(`CREATE ROLE ${schema} LOGIN; GRANT ALL ON DATABASE ${database} TO ${schema}`);
    await run(`ALTER ROLE ${schema} SET statement_timeout = '500ms'; ALTER ROLE ${schema} SET lock_timeout = '500ms'`);
    const pool = new pg.Pool({ connectionString: addressOf({ database, user: schema }), query_timeout: 500 });
    pool.on("error", () => {});
    keep({ close: () => pool.end() });
    const store = openStore({ pool, timeout: "5s" });
    const other = openStore({ pool, timeout: "5s" });
    await Promise.all([store.setUp(), other.setUp()]);
    expect(await store.register("g", newcomer())).toMatchObject({ members: 1 });
    // Only for the set-up: ordinary statements keep the pool's.
    const { rows } = await pool.query("SELECT current_setting('statement_timeout') AS limit");
    expect(rows).toEqual([{ limit: "500ms" }]);
  });

  test.each<[string, Partial<PostgresStoreOptions>]>([
    ["of the option", { setupTimeout: "200ms" }],
    ["of the option, which a call does not outwait either", { setupTimeout: "200ms", timeout: "20s" }],
  ])("that is told when it passes: %s", async (_, options) => {
    const error = await failure(openStore({ connectionString, ...options }).register("g", newcomer()));
    expect([error.code, error.effect]).toEqual(["DT_STORE_TIMEOUT", "definite"]);
    expect(error.message).toBe(
      `the tables in schema "${schema}" were not made within 200 ms (option setupTimeout); raise it, or run the text of migrationSql() as an administrator and give migrate: false`,
    );
    // Nothing is left half made.
    expect(await openStore({ connectionString }).register("g", newcomer())).toMatchObject({ members: 1 });
  });

  test("that a caller need not wait for, and the work goes on", async () => {
    const store = openStore({ connectionString });
    const error = await failure(store.register("g", newcomer(), AbortSignal.timeout(300)));
    expect([error.code, error.effect]).toEqual(["DT_ABORTED", "definite"]);
    await until("the schema is there", 20_000, () =>
      openStore({ connectionString, migrate: false, timeout: "5s" }).inspect("g"),
    );
  });

  test("and ends with the store", async () => {
    const store = openStore({ connectionString });
    const call = failure(store.register("g", newcomer()));
    await until("it is being made", 5_000, async () => (await admin.number(making())) > 0 || undefined);
    await store.close();
    expect(await call).toMatchObject({ code: "DT_STORE_CLOSED" });
  });
});

test("without the right to make it, the tables' absence is told as such", async () => {
  const error = await failure(openStore({ connectionString, migrate: false }).inspect("g"));
  expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
  expect(error.message).toBe(
    `schema "${schema}" of the database has no tables of the store, and they may not be made here (migrate: false); leave that out, or run the text of migrationSql() as an administrator`,
  );
});

test("a server that does not answer is told by the deadline of every call, also before the schema was looked at", async () => {
  await server.pause();
  try {
    const store = openStore({ connectionString });
    const begunMs = performance.now();
    const errors = await Promise.all([failure(store.register("g", newcomer())), failure(store.setUp())]);
    expect(errors.map(({ code }) => code)).toEqual(["DT_STORE_TIMEOUT", "DT_STORE_TIMEOUT"]);
    expect(performance.now() - begunMs).toBeLessThan(5_000);
  } finally {
    await server.resume();
  }
});

/** How many connections are making the schema. */
function making(): string {
  return `SELECT count(*) FROM pg_stat_activity WHERE datname = '${database}' AND state = 'active'`;
}

/** In the test's database, as a superuser. */
async function run(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}

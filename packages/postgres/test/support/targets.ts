import type { StoreTarget } from "@dt/conformance";
import { type StoreCapabilities, systemRuntime } from "@dt/core";
import {
  FaultProxy,
  type PgBouncerServer,
  type PostgresServer,
  startPgBouncer,
  startPostgres,
} from "@dt-tooling/backends";
import pg from "pg";
import { type PostgresStoreOptions, postgresStore } from "../../src/index.ts";
import { Admin } from "./admin.ts";
import { postgresDamage } from "./damage.ts";
import { TestClock } from "./test-clock.ts";

/** A target with servers of its own: start it before the suite runs, stop it afterwards. */
type ServedTarget = StoreTarget & { start(): Promise<void>; stop(): Promise<void> };

const capabilities: StoreCapabilities = {
  name: "postgres",
  clock: "server",
  ledger: true,
  losesData: false,
  dataAge: true,
  demand: true,
  slots: true,
  hints: true,
};

/** Suits hundreds of members in one process on a busy machine, with times of the suite to match. */
const PATIENT = { timeout: "8s" } as const;
/** Where the server is taken away; the default one is tested in outage.test.ts. */
const SHORT = { timeout: "2s" } as const;
const TIME_SCALE = 2;
/** Statements of all cases at a time. */
const SHARED_CONNECTIONS = 16;

/** Statements of stores (not of the suite) that the server was sent, as pg_stat_statements counts them. */
const STATEMENTS = `
  SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
  WHERE query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE '%test_clock%'`;

/**
 * One server, behind a proxy that can go silent, with a clock that can be set, and every fault that a local process
 * allows. @param maxMembers the largest group
 */
export function postgresTarget(maxMembers = 1_200): ServedTarget {
  let server: PostgresServer;
  let proxy: FaultProxy;
  let admin: Admin;
  let clock: TestClock;
  let pool: pg.Pool;
  const address = () => ({ connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` });
  // A connection's first call reads the functions, which costs far more than the call: the clients of all cases share
  // some. Where the server is taken away, and behind PgBouncer, every store has its own.
  const options = (): PostgresStoreOptions => ({ pool, hints: address() });
  return {
    name: "postgres",
    capabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    timeScale: TIME_SCALE,
    async start() {
      server = await startPostgres({ control: true, config: { shared_preload_libraries: "pg_stat_statements" } });
      proxy = await FaultProxy.listen(server);
      admin = new Admin(server.url);
      await admin.run("CREATE EXTENSION pg_stat_statements");
      const first = postgresStore({ connectionString: server.url, ...PATIENT });
      await first.inspect("first");
      await first.close();
      clock = await TestClock.install(admin, "dt");
      pool = new pg.Pool({ ...address(), max: SHARED_CONNECTIONS, connectionTimeoutMillis: 8_000 });
      pool.on("error", () => {});
    },
    async stop() {
      await pool?.end();
      await admin?.close();
      await proxy?.close();
      await server?.stop();
    },
    createStore: ({ outage }) =>
      postgresStore(outage ? { ...address(), hints: true, ...SHORT } : { ...options(), ...PATIENT }),
    createSkewedStore: (skewMs) =>
      postgresStore({
        ...options(),
        ...PATIENT,
        runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs },
      }),
    async holdUp(group) {
      const name = `(SELECT id FROM dt.dt_group WHERE name = '${group}')`;
      const lock = await admin.hold(`SELECT FROM dt.dt_ledger WHERE group_id = ${name} FOR UPDATE`);
      return async () => lock[Symbol.asyncDispose]();
    },
    roundTrips: () => admin.number(STATEMENTS),
    damage: postgresDamage(() => admin, "dt"),
    faults: {
      kill: () => server.kill(),
      restart: (restart) => server.restart(restart),
      pause: () => server.pause(),
      resume: () => server.resume(),
      partition: async () => proxy.apply({ type: "stall" }),
      heal: async () => proxy.strand(),
      shiftClock: (byMs) => clock.shift(byMs),
    },
  };
}

/**
 * A server behind PgBouncer in transaction mode, in a schema of another name.
 * @param maxMembers the largest group
 */
export function pgBouncerTarget(maxMembers = 1_200): ServedTarget {
  let server: PostgresServer;
  let bouncer: PgBouncerServer;
  let admin: Admin;
  return {
    name: "postgres (PgBouncer)",
    capabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    timeScale: TIME_SCALE,
    async start() {
      server = await startPostgres();
      admin = new Admin(server.url);
      // Fewer server connections than stores have: a session that relied on its own would be found out.
      bouncer = await startPgBouncer(server, { poolMode: "transaction", connections: 3 });
    },
    async stop() {
      await admin?.close();
      await bouncer?.stop();
      await server?.stop();
    },
    createStore: ({ outage }) =>
      postgresStore({
        connectionString: bouncer.url,
        schema: "Limits-2",
        hints: { connectionString: server.url },
        ...(outage ? SHORT : PATIENT),
      }),
    damage: postgresDamage(() => admin, '"Limits-2"'),
    faults: { pause: () => bouncer.pause(), resume: () => bouncer.resume() },
  };
}

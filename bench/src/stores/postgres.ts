import { startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import type { BenchStore } from "./bench-store.ts";
import { delayedStore } from "./delayed-store.ts";

/** So long that a busy machine fails no call: what is measured is how long calls take. */
const timeout = "5m";

/** All that stores have asked for, as pg_stat_statements counts it. */
const STATEMENTS = `
  SELECT coalesce(sum(calls), 0)::float8 AS "requests",
         coalesce(sum(total_exec_time), 0)::float8 * 1000 AS "µs in statements",
         coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 AS "pages",
         coalesce(sum(wal_bytes), 0)::float8 AS "bytes of WAL"
  FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'`;

export const postgres: BenchStore = {
  name: "postgres",
  callsPerRound: 300,
  start: async () => {
    const { postgresStore } = await import("@dt/postgres");
    const server = await startPostgres({ control: true, config: { shared_preload_libraries: "pg_stat_statements" } });
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query("CREATE EXTENSION pg_stat_statements");
    const { rows } = await admin.query<{ server_version: string }>("SHOW server_version");
    const store = postgresStore({ connectionString: server.url, hints: true, timeout });
    const counters = async (): Promise<Record<string, number>> => {
      const { rows } = await admin.query<Record<string, number>>(STATEMENTS);
      return { ...rows[0] };
    };
    return {
      store,
      configuration: `PostgreSQL ${rows[0]?.server_version} on loopback, fsync off; a pool of four connections, hints on`,
      serverUs: async () => (await counters())["µs in statements"] ?? Number.NaN,
      counters,
      connectDelayed: () =>
        delayedStore([server], ([port]) =>
          postgresStore({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`, hints: true, timeout }),
        ),
      stop: async () => {
        await store.close();
        await admin.end();
        await server.stop();
      },
    };
  },
};

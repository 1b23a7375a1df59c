import { createThrottle } from "@dt/core";
import { startPostgres } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { migrationSql, type PostgresStoreOptions, postgresStore } from "../src/index.ts";
import { addressOf, admin, newName, openPatientStore, schema, server, useOwnServer } from "./support/own-server.ts";

useOwnServer();

describe("a server that cannot serve", () => {
  const refused = async (options: Partial<PostgresStoreOptions>): Promise<string> => {
    const error = await failure(openPatientStore({ schema: newName(), ...options }).register("g", newcomer()));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    return error.message;
  };

  test("for lack of the privilege to create a schema says which, and where the GRANT statements are", async () => {
    const user = newName();
    await admin.run(`CREATE ROLE ${user} LOGIN`);
    expect(await refused({ connectionString: addressOf({ user }) })).toMatch(
      /permission denied for database.*lacks a privilege; the README of @dt\/postgres has the GRANT/,
    );
  });

  test("for lack of privileges in the schema says so", async () => {
    await admin.run(migrationSql(schema));
    await admin.run(`CREATE ROLE ${schema} LOGIN`);
    const connectionString = addressOf({ user: schema });
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for schema/);
    await admin.run(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for table dt_format/);
    await admin.run(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`);
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for table dt_/);
  });

  test("because the role may only read is refused, at the first call and at any later one", async () => {
    const user = newName();
    await admin.run(`CREATE ROLE ${user} LOGIN SUPERUSER`);
    const store = openPatientStore({ connectionString: addressOf({ user }) });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await admin.run(`ALTER ROLE ${user} SET default_transaction_read_only = on`);
    expect(await refused({ schema, connectionString: addressOf({ user }) })).toMatch(
      /read-only.*connect to the primary/,
    );
    await admin.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [user]);
    // The first call may find its idle connection ended; by then the pool has noticed.
    const errors = [];
    for (let seq = 2; seq < 5; seq++) errors.push(await failure(store.sync("g", registration, adopting(view, seq))));
    expect(errors.at(-1)).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(errors.at(-1)?.message).toMatch(/SQLSTATE 25006.*connect to the primary/);
    // As after a failover: the connection was not kept, so the next one finds a server that writes.
    await admin.run(`ALTER ROLE ${user} RESET default_transaction_read_only`);
    expect(await store.sync("g", registration, adopting(view, 9))).toMatchObject({ status: "agree" });
  });

  test("because the database is not in UTF-8 is refused", async () => {
    const database = `latin_${process.pid}`;
    await admin.rows(`CREATE DATABASE ${database} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    expect(await refused({ connectionString: addressOf({ database }) })).toMatch(/encoding is LATIN1.*ENCODING 'UTF8'/);
  });

  test("because transactions run at another isolation level is refused", async () => {
    const user = newName();
    await admin.run(`CREATE ROLE ${user} LOGIN SUPERUSER`);
    await admin.run(`ALTER ROLE ${user} SET default_transaction_isolation = 'serializable'`);
    expect(await refused({ connectionString: addressOf({ user }) })).toMatch(/run as serializable.*'read committed'/);
  });

  test("because it is too old is refused", async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    // No server that old can be had here: the answer to the first question, which has eight columns, is changed on its
    // way.
    const old = withAnswers(pool, (row) => (row.length === 8 ? ["110022", "11.22", ...row.slice(2)] : row));
    const error = await failure(postgresStore({ pool: old, schema }).inspect("g"));
    await pool.end();
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain("PostgreSQL 11.22; use 12 or newer");
  });

  test("because it has no TLS is refused", async () => {
    const pool = new pg.Pool({ connectionString: server.url, ssl: true });
    const error = await failure(postgresStore({ pool, schema }).inspect("g"));
    await pool.end();
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("does not support SSL connections; leave sslmode out");
  });

  test("because the password is wrong or missing is refused, and nothing happened", async () => {
    await using guarded = await startPostgres({ password: "right" });
    const none = guarded.url.replace(":right", "");
    const unasked = await failure(openPatientStore({ connectionString: none }).register("g", newcomer()));
    expect([unasked.code, unasked.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(unasked.message).toContain("the server asks for a password: give one");
    const url = guarded.url.replace("right", "wrong");
    const store = openPatientStore({ connectionString: url });
    const error = await failure(store.register("g", newcomer()));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toMatch(/password authentication failed.*check the user name, the password/);
    // No waiting mends it: a start does not try again for 20 s.
    const start = await failure(createThrottle({ name: "g", max: 10, store }).start());
    expect(start.code).toBe("DT_STORE_UNSUITABLE");
    expect(start.message).not.toContain("tries");
  });
});

/** The same pool, whose rows are changed on their way. */
function withAnswers(pool: pg.Pool, change: (row: readonly unknown[]) => readonly unknown[]) {
  return {
    async connect() {
      const client = await pool.connect();
      return Object.assign(Object.create(client) as pg.PoolClient, {
        async query(statement: pg.QueryArrayConfig) {
          const result = await client.query(statement);
          return { ...result, rows: result.rows.map(change) };
        },
        release: (destroy?: boolean) => client.release(destroy),
      });
    },
  };
}

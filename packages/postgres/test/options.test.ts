import { failure } from "@dt-tooling/backends/failure";
import { newcomer, refOf } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { describe, expect, expectTypeOf, test } from "vitest";
import { migrationSql, type PostgresPool, type PostgresStoreOptions, postgresStore } from "../src/index.ts";

const connectionString = "postgres://127.0.0.1:1/nowhere";
const refused = (options: unknown): string => {
  try {
    postgresStore(options as PostgresStoreOptions);
  } catch (error) {
    expect(error).toMatchObject({ code: "DT_INVALID_OPTION", effect: "definite" });
    return (error as Error).message;
  }
  throw new Error("accepted");
};

describe("options", () => {
  test.each([
    [undefined, "options is undefined; give an object"],
    [{}, "neither connectionString nor pool is given; give one of them"],
    [{ url: connectionString }, "url: there is no such option; did you mean connectionString?"],
    [{ connectionString, pool: new pg.Pool() }, "pool is an object; give either it or connectionString"],
    [{ pool: {} }, "pool is an object; give a Pool of pg"],
    [{ connectionString: "localhost" }, "connectionString is no address (not shown"],
    [{ connectionString, runtime: {} }, "runtime is an object; give an object with now, setTimer and random"],
    [{ connectionString: 5432 }, "connectionString is 5432; give postgres://"],
    [{ connectionString, schema: "" }, 'schema is ""; give 1 to 63 letters'],
    [{ connectionString, schema: 'a"; DROP TABLE x; --' }, "give 1 to 63 letters"],
    [{ connectionString, schema: "a$$b" }, "give 1 to 63 letters"],
    [{ connectionString, schema: "é" }, "give 1 to 63 letters"],
    [{ connectionString, schema: "x".repeat(64) }, "give 1 to 63 letters"],
    [{ connectionString, schema: "pg_dt" }, "names that begin with pg_ belong to PostgreSQL"],
    [{ connectionString, timeout: "soon" }, 'timeout is "soon"; give milliseconds'],
    [{ connectionString, timeout: 0 }, "timeout is 0; give at least 1 ms"],
    [{ connectionString, timeout: "13d" }, 'timeout is "13d"; give at most 10 days'],
    [{ connectionString, setupTimeout: 0 }, "setupTimeout is 0; give at least 1 ms"],
    [{ connectionString, setupTimeout: "30d" }, 'setupTimeout is "30d"; give at most 10 days'],
    [{ connectionString, migrate: "no" }, 'migrate is "no"; give true or false'],
    [{ connectionString, hints: "yes" }, 'hints is "yes"; give true, false, { pool } or { connectionString }'],
    [{ connectionString, hints: {} }, "neither hints.connectionString nor hints.pool is given; give one of them"],
    [{ connectionString, hints: { connectionString: "x" } }, "hints.connectionString is no address (not shown"],
    [{ connectionString, onError: true }, "onError is true; give a function"],
    [{ connectionstring: "x" }, "connectionstring: there is no such option; did you mean connectionString?"],
    [{ connectionString, timeOut: 5 }, "timeOut: there is no such option; did you mean timeout?"],
    [{ connectionString, password: "secret" }, "password: there is no such option; known are connectionString, pool"],
    [
      { connectionString, ssl: true },
      "ssl: there is no such option; for TLS give a connectionString that ends in ?sslmode=",
    ],
    [{ connectionString, ssl: undefined }, "ssl: there is no such option"],
    [{ connectionString, tls: { ca: "secret" } }, "tls: there is no such option; for TLS give"],
    [{ connectionString, hints: { connectionString, ssl: true } }, "hints.ssl: there is no such option; for TLS give"],
    [
      { connectionString, hints: { pol: 1 } },
      "hints.pol: there is no such option; did you mean hints.pool? known are connectionString, pool",
    ],
  ])("%j is refused: %s", (options, message) => {
    expect(refused(options)).toContain(message);
  });

  test("with a password are never shown", () => {
    expect(refused({ connectionString: "postgress://user:secret@host/db" })).not.toContain("secret");
    expect(refused({ connectionString, password: "secret" })).not.toContain("secret");
    expect(refused({ connectionString, tls: { key: "secret" } })).not.toContain("secret");
  });

  test("of a socket are accepted", () => {
    postgresStore({ connectionString: "postgresql:///app?host=/run/postgresql" });
  });

  test("are not changed, and nothing is opened before the first call", async () => {
    const options = Object.freeze({ connectionString, hints: true, schema: "other" });
    const store = postgresStore(options);
    expect(store.capabilities).toEqual({
      name: "postgres",
      clock: "server",
      ledger: true,
      losesData: false,
      dataAge: true,
      demand: true,
      slots: true,
      hints: true,
    });
    await store.close();
  });

  test("take a Pool of pg by its type", () => {
    expectTypeOf<pg.Pool>().toExtend<PostgresPool>();
  });
});

describe("arguments", () => {
  test("are checked before anything is sent", async () => {
    await using store = postgresStore({ connectionString, hints: true });
    const registration = newcomer();
    for (const call of [
      store.register("", registration),
      store.register("g", { ...registration, max: 0 }),
      store.sync("g", refOf(registration), { seq: 0, generation: 0, members: 0, held: 0, max: 1, level: null }),
      store.deregister("g", { id: "", incarnation: "x" }, { seq: 1, level: null }),
      store.inspect("x".repeat(1_025)),
      store.onHint?.("\ud800", () => {}) ?? Promise.resolve(),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION", effect: "definite" });
    }
  });
});

describe("migrationSql", () => {
  test("names its schema everywhere, quoted, and is one transaction", () => {
    const sql = migrationSql("Limits-2");
    expect(sql).toMatch(/^BEGIN;\nCREATE SCHEMA IF NOT EXISTS "Limits-2";/);
    expect(sql).toMatch(/COMMIT;\n$/);
    expect(sql).not.toContain("{schema}");
    const code = sql.replaceAll(/^ *--.*$/gm, "");
    expect(code).not.toMatch(/(?<!"Limits-2"\.)\bdt_(group|ledger|member|level|boot|data|format|view)\b/);
  });

  test("refuses what the option schema refuses, and a version that it does not know", () => {
    expect(() => migrationSql("a b")).toThrow("schema is");
    expect(() => migrationSql("dt", 2)).toThrow("from is 2");
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { MemberView } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { type PostgresServer, startPgBouncer, startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { migrationSql, type PostgresStore, type PostgresStoreOptions, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { failure } from "./support/failure.ts";
import { loader } from "./support/loader.ts";
import { accepted, adopting, newcomer } from "./support/member.ts";
import { permitRequest } from "./support/permit-request.ts";
import { readmeBlocks } from "./support/readme.ts";

let server: PostgresServer;
let admin: Admin;
const stores: PostgresStore[] = [];
const children: ChildProcess[] = [];
let schemas = 0;

const newSchema = (): string => `s_${process.pid}_${++schemas}`;
const open = (options: Partial<PostgresStoreOptions> = {}): PostgresStore => {
  const store = postgresStore({ connectionString: server.url, timeout: "10s", ...options } as PostgresStoreOptions);
  stores.push(store);
  return store;
};
/** The server's address as another role, or for another database. */
const address = (change: { readonly user?: string; readonly database?: string }): string => {
  const url = new URL(server.url);
  if (change.user !== undefined) url.username = change.user;
  if (change.database !== undefined) url.pathname = `/${change.database}`;
  return url.href;
};

beforeAll(async () => {
  // Roles and databases belong to the whole server: it must be ours alone.
  server = await startPostgres({ control: true });
  admin = new Admin(server.url);
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

afterAll(async () => {
  await admin?.close();
  await server?.stop();
});

describe("the first call", () => {
  test("creates the schema and everything in it, in every version", async () => {
    const schema = newSchema();
    await open({ schema }).register("g", newcomer());
    expect(await versions(schema)).toEqual([1, 2]);
  });

  test("of eight processes at the same time succeeds in each, and they meet in one group", {
    timeout: 60_000,
  }, async () => {
    for (let race = 0; race < 3; race++) {
      const schema = newSchema();
      const joiners = await Promise.all(Array.from({ length: 8 }, (_, i) => startJoiner(schema, `p${i}`)));
      const views = await Promise.all(joiners.map((join) => join()));
      expect(views.map(({ poolSize }) => poolSize).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(new Set(views.map(({ rank }) => rank)).size).toBe(8);
      expect(await versions(schema)).toEqual([1, 2]);
    }
  });

  test("of forty stores at the same time leaves no failed statement visible to any of them", async () => {
    const schema = newSchema();
    const many = Array.from({ length: 40 }, () => open({ schema }));
    await Promise.all(many.map((store) => store.register("g", newcomer())));
    expect(await many[0]?.inspect("g")).toMatchObject({ poolSize: 40 });
  });

  test("uses a schema that is there, also without the right to create one", async () => {
    const schema = newSchema();
    await admin.run(`CREATE ROLE ${schema} LOGIN; CREATE SCHEMA ${schema} AUTHORIZATION ${schema}`);
    const store = open({ schema, connectionString: address({ user: schema }) });
    expect(accepted(await store.register("g", newcomer()))).toMatchObject({ poolSize: 1 });
  });

  test("succeeds in a schema whose name needs quotes", async () => {
    const store = open({ schema: `Limits-${process.pid}` });
    await store.register("g", newcomer());
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
    expect(await admin.number(`SELECT count(*) FROM "Limits-${process.pid}".dt_member`)).toBe(1);
  });

  test("is not needed again: a schema that vanishes under a store is made anew, and the member is unknown", async () => {
    const schema = newSchema();
    const store = open({ schema });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await admin.run(`DROP SCHEMA ${schema} CASCADE`);
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ status: "unknown" });
    expect(await versions(schema)).toEqual([1, 2]);
  });
});

describe("behind a PgBouncer", { timeout: 60_000 }, () => {
  test.each(["session", "transaction", "statement"] as const)(
    "in %s mode everything works from the first call on",
    async (poolMode) => {
      await using bouncer = await startPgBouncer(server, { poolMode, poolSize: poolMode === "session" ? 20 : 2 });
      const schema = newSchema();
      const some = Array.from({ length: 5 }, () => open({ schema, connectionString: bouncer.url }));
      await Promise.all(some.map((store) => store.register("g", newcomer())));
      const late = newcomer({ max: 6 });
      const view = await (some[0] as PostgresStore).register("g", late);
      expect(await some[1]?.sync("g", late, adopting(view, 2))).toMatchObject({ poolSize: 6, capacity: 6 });
      await some[2]?.deregister("g", late, { seq: 3, level: null });
      expect(await some[3]?.inspect("g")).toMatchObject({ poolSize: 5, capacity: 10 });
      const ahead = { everyMs: 60_000, maxReserved: 3 };
      const given = await Promise.all(some.map((store) => store.reserve("k", permitRequest(ahead))));
      const instants = given.map((reservation) => instantOf(reservation, 0)).sort((a, b) => a - b);
      for (const [i, instant] of instants.slice(1).entries())
        expect(instant - (instants[i] as number)).toBeGreaterThanOrEqual(60_000);
      expect(await some[4]?.reserve("k", permitRequest(ahead))).toMatchObject({ granted: 0 });
      for (const store of some) await store.close();
    },
  );
});

describe("stores of different schemas in one database", () => {
  test("do not see each other's groups, nor hear of them", async () => {
    const [one, other] = [open({ schema: newSchema(), push: true }), open({ schema: newSchema(), push: true })];
    let heard = 0;
    await other.inspect("g");
    await other.watch?.("g", () => {
      heard += 1;
    });
    await one.register("g", newcomer());
    await one.register("g", newcomer());
    expect(await other.inspect("g")).toMatchObject({ poolSize: 0, generation: 0 });
    // What it does hear comes after what it must not hear.
    await other.register("g", newcomer());
    await expect.poll(() => heard).toBe(1);
    expect(await one.inspect("g")).toMatchObject({ poolSize: 2 });
  });
});

describe("a database all of whose tables are published for logical replication", () => {
  test("can serve: every table that changes has a key", async () => {
    const store = open({ schema: newSchema() });
    await store.inspect("g");
    await admin.run("CREATE PUBLICATION everything FOR ALL TABLES");
    const [a, b] = [newcomer({ level: 1, resumeWithinMs: 60_000 }), newcomer()];
    await store.register("g", a);
    const view = await store.register("g", b);
    for (const seq of [2, 3]) await store.sync("g", a, adopting(view, seq, { held: 5 }));
    await store.deregister("g", a, { seq: 4, level: 2 });
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
    const requests = [1, 2, 3].map(() => permitRequest({ maxReserved: 3, keepMs: 0 }));
    for (const request of requests) await store.reserve("k", request);
    await store.release("k", { id: requests[1]?.id as string, keep: 0 });
    await store.reserve("k", permitRequest({ maxReserved: 3 }));
    const waiting = permitRequest({ queueMs: 50 });
    for (let twice = 0; twice < 2; twice++) await store.reserve("k", waiting);
    await store.release("k", { id: waiting.id, keep: 0 });
    await admin.run("DROP PUBLICATION everything");
  });
});

describe("a schema of another version", () => {
  test("that is newer is refused, and named with the remedy", async () => {
    const schema = newSchema();
    await open({ schema }).inspect("g");
    await admin.run(`INSERT INTO ${schema}.dt_version (version) VALUES (3)`);
    const error = await failure(open({ schema }).inspect("g"));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("version 3, made by a newer @dt/postgres; this one works with version 2. Update");
  });

  test("that is older is brought up to date", async () => {
    const schema = newSchema();
    // Version 0: the table that counts them, and nothing else.
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_version (version integer PRIMARY KEY)`);
    await admin.run(`ALTER TABLE ${schema}.dt_version ADD applied_at timestamptz NOT NULL DEFAULT now()`);
    await open({ schema }).register("g", newcomer());
    expect(await versions(schema)).toEqual([1, 2]);
  });

  test("1, from before permits, keeps its groups and gets permits", async () => {
    const schema = newSchema();
    const before = open({ schema });
    await before.register("g", newcomer());
    await before.close();
    await admin.run(backToVersion1(schema));
    const store = open({ schema });
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
    expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(await versions(schema)).toEqual([1, 2]);
  });

  test("1 is brought up to date by an administrator, as the error says", async () => {
    const schema = newSchema();
    await admin.run(migrationSql(schema));
    await admin.run(backToVersion1(schema));
    const error = await failure(open({ schema, migrate: false }).inspect("g"));
    expect(error.message).toContain("has version 1 of the store's tables, and version 2 is needed");
    expect(error.message).toContain("run the text of migrationSql(schema, 1) as an administrator");
    await admin.run(migrationSql(schema, 1));
    expect(await open({ schema, migrate: false }).reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(() => migrationSql(schema, 3)).toThrow(/from is 3/);
  });

  test("or with objects of another program is refused without harm to them", async () => {
    const schema = newSchema();
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_member (mine integer)`);
    const error = await failure(open({ schema }).inspect("g"));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toMatch(/objects that are not this store's.*dt_member.*give another schema/);
    expect(await admin.rows(`SELECT to_regclass('${schema}.dt_version') AS version_table`)).toEqual([
      { version_table: null },
    ]);
  });
});

describe("with migrate: false", () => {
  test("a missing schema is refused with the remedy, and nothing is created", async () => {
    const schema = newSchema();
    const error = await failure(open({ schema, migrate: false }).register("g", newcomer()));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("run the text of migrationSql() as an administrator");
    expect(await admin.number("SELECT count(*) FROM pg_namespace WHERE nspname = $1", [schema])).toBe(0);
  });

  test("a role with no more than the README's privileges works in what an administrator made", async () => {
    const schema = newSchema();
    await admin.run(migrationSql(schema));
    await admin.run(`CREATE ROLE ${schema} LOGIN`);
    await admin.run(grants(schema, schema));
    const options = { schema, migrate: false, push: true, connectionString: address({ user: schema }) };
    const store = open(options);
    const [a, b] = [newcomer({ level: 1, resumeWithinMs: 60_000 }), newcomer()];
    await store.register("g", a);
    const view = await store.register("g", b);
    await store.sync("g", a, adopting(view, 2, { held: 5 }));
    await store.deregister("g", a, { seq: 3, level: 2 });
    expect(await store.register("g", newcomer({ id: a.id }))).toMatchObject({ resumeLevel: 2 });
    expect(await store.inspect("g")).toMatchObject({ poolSize: 2 });
    (await store.watch?.("g", () => {}))?.();
    const requests = [1, 2, 3].map(() => permitRequest({ maxReserved: 3, queueMs: 50 }));
    for (const request of requests) expect(await store.reserve("k", request)).toMatchObject({ granted: 1 });
    await store.release("k", { id: requests[1]?.id as string, keep: 0 });
    expect(await store.reserve("k", permitRequest({ maxReserved: 3 }))).toMatchObject({ granted: 1 });
    expect(await store.reserve("k", permitRequest({ queueMs: 5 }))).toMatchObject({ granted: 0 });
    (await store.watchPermits?.("k", () => {}))?.();
  });

  test("the administrator's text fails the second time, and leaves everything as it was", async () => {
    const schema = newSchema();
    await admin.run(migrationSql(schema));
    const store = open({ schema, migrate: false });
    await store.register("g", newcomer());
    await expect(admin.run(migrationSql(schema))).rejects.toThrow(/dt_version_pkey/);
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
  });
});

describe("a server that cannot serve", () => {
  const refused = async (options: Partial<PostgresStoreOptions>): Promise<string> => {
    const error = await failure(open({ schema: newSchema(), ...options }).register("g", newcomer()));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    return error.message;
  };

  test("for lack of the privilege to create a schema says which, and where the GRANT statements are", async () => {
    const user = newSchema();
    await admin.run(`CREATE ROLE ${user} LOGIN`);
    expect(await refused({ connectionString: address({ user }) })).toMatch(
      /permission denied for database.*lacks a privilege; the README of @dt\/postgres has the GRANT/,
    );
  });

  test("for lack of privileges in the schema says so", async () => {
    const schema = newSchema();
    await admin.run(migrationSql(schema));
    await admin.run(`CREATE ROLE ${schema} LOGIN`);
    const connectionString = address({ user: schema });
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for schema/);
    await admin.run(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for table dt_version/);
    await admin.run(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`);
    expect(await refused({ schema, connectionString })).toMatch(/permission denied for table dt_/);
  });

  test("because the role may only read is refused, at the first call and at any later one", async () => {
    const [user, schema] = [newSchema(), newSchema()];
    await admin.run(`CREATE ROLE ${user} LOGIN SUPERUSER`);
    const store = open({ schema, connectionString: address({ user }) });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await admin.run(`ALTER ROLE ${user} SET default_transaction_read_only = on`);
    expect(await refused({ schema, connectionString: address({ user }) })).toMatch(/read-only.*connect to the primary/);
    await admin.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [user]);
    // The first call may find its idle connection ended; by then the pool has noticed.
    const errors = [];
    for (let seq = 2; seq < 5; seq++) errors.push(await failure(store.sync("g", registration, adopting(view, seq))));
    expect(errors.at(-1)).toMatchObject({ code: "DT_STORE_UNSUITABLE", outcome: "definite" });
    expect(errors.at(-1)?.message).toMatch(/SQLSTATE 25006.*connect to the primary/);
    // As after a failover: the connection was not kept, so the next one finds a server that writes.
    await admin.run(`ALTER ROLE ${user} RESET default_transaction_read_only`);
    expect(await store.sync("g", registration, adopting(view, 9))).toMatchObject({ status: "agree" });
  });

  test("because the database is not in UTF-8 is refused", async () => {
    const database = `latin_${process.pid}`;
    await admin.rows(`CREATE DATABASE ${database} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    expect(await refused({ connectionString: address({ database }) })).toMatch(/encoding is LATIN1.*ENCODING 'UTF8'/);
  });

  test("because transactions run at another isolation level is refused", async () => {
    const user = newSchema();
    await admin.run(`CREATE ROLE ${user} LOGIN SUPERUSER`);
    await admin.run(`ALTER ROLE ${user} SET default_transaction_isolation = 'serializable'`);
    expect(await refused({ connectionString: address({ user }) })).toMatch(/run as serializable.*'read committed'/);
  });

  test("because it is too old is refused", async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    // No server that old can be had here: the answer to the first question, which has seven columns, is changed on its way.
    const old = withAnswers(pool, (row) => (row.length === 7 ? ["110022", "11.22", ...row.slice(2)] : row));
    const error = await failure(postgresStore({ pool: old, schema: newSchema() }).inspect("g"));
    await pool.end();
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain("PostgreSQL 11.22; use 12 or newer");
  });

  test("because the password is wrong is unavailable, and nothing happened", async () => {
    await using guarded = await startPostgres({ password: "right" });
    const url = guarded.url.replace("right", "wrong");
    const error = await failure(open({ connectionString: url }).register("g", newcomer()));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNAVAILABLE", "definite"]);
    expect(error.message).toMatch(/password authentication failed.*check the user name, the password/);
  });
});

/** What takes a schema back to where it was before permits. */
function backToVersion1(schema: string): string {
  return `
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace
        AND (proname LIKE 'dt_permit%' OR proname IN ('dt_reserve', 'dt_release')) LOOP
        EXECUTE 'DROP FUNCTION ' || name;
      END LOOP;
    END $$;
    DROP TABLE ${["key", "state", "freed", "line"].map((table) => `${schema}.dt_permit_${table}`).join(", ")}, ${schema}.dt_permit;
    DROP TYPE ${schema}.dt_reservation, ${schema}.dt_permit_request;
    DELETE FROM ${schema}.dt_version WHERE version = 2;`;
}

async function versions(schema: string): Promise<unknown[]> {
  return (await admin.rows(`SELECT version FROM ${schema}.dt_version ORDER BY version`)).map(({ version }) => version);
}

/** The GRANT statements of the README, for a schema and a role. */
function grants(schema: string, role: string): string {
  const [statements] = readmeBlocks("sql") as [string];
  return statements.replaceAll("SCHEMA dt ", `SCHEMA ${schema} `).replaceAll("TO app;", `TO ${role};`);
}

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

/** A process of its own that joins when told; resolves with what tells it. */
async function startJoiner(schema: string, id: string): Promise<() => Promise<MemberView>> {
  const script = new URL("./support/joiner.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--import", loader, script, server.url, schema, "g", id], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return async () => {
    child.stdin.write("go\n");
    const { value } = await lines.next();
    if (child.exitCode === null) await once(child, "exit");
    return JSON.parse(value as string) as MemberView;
  };
}

import { systemRuntime } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { migrationSql } from "../src/index.ts";
import { Gate } from "../src/pool/gate.ts";
import { FORMAT, type Format, migrationFrom } from "../src/schema/migrations.ts";
import { Schema } from "../src/schema/schema.ts";
import {
  addressOf,
  admin,
  newName,
  openPatientStore,
  openPool,
  schema,
  server,
  useOwnServer,
} from "./support/own-server.ts";
import { readmeBlocks } from "./support/readme.ts";
import { SlotMember } from "./support/slot-member.ts";

useOwnServer();

/** What the tables and types of the next version have more. */
const CHANGES = `
ALTER TABLE {schema}.dt_ledger ADD COLUMN next_ms float8 NOT NULL DEFAULT 7;
ALTER TABLE {schema}.dt_member ADD COLUMN next_ms float8 NOT NULL DEFAULT 7;
ALTER TYPE {schema}.dt_view ADD ATTRIBUTE next_ms float8;
`;

/**
 * A made-up next version: a column of each row, a field of the answer and a parameter of sync that version 1 does not
 * know, and another name for a function of its own. Its step locks the tables first, in the order in which statements
 * do, so that none meets it in the middle.
 */
const NEXT: Format = {
  tables: FORMAT.tables + CHANGES,
  steps: [
    `LOCK TABLE {schema}.dt_ledger, {schema}.dt_group, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;${CHANGES}
    DROP FUNCTION {schema}.dt_sync; DROP FUNCTION {schema}.dt_accept_report;`,
  ],
  functions: FORMAT.functions
    .replaceAll("dt_accept_report", "dt_accept")
    .replace("\n  p_took_offer boolean\n)", "\n  p_took_offer boolean, p_next_ms float8 DEFAULT 0\n)")
    .replace("  v.early := early;\n", "  v.early := early;\n  v.next_ms := m.next_ms;\n"),
  worksFrom: 1,
};

/** Brings the schema up to the next version, as a process of that version does. */
function upgrade(name = schema): Promise<void> {
  const runtime = systemRuntime;
  const gate = new Gate(openPool(server.url), runtime, 10_000, 1);
  const use = { schema: `"${name}"`, migrate: true, runtime, timeoutMs: 10_000, setupTimeoutMs: 10_000 };
  return new Schema(gate, use, NEXT).make();
}

describe("a schema of another version", () => {
  test("that is newer is refused, and named with the remedy", async () => {
    await openPatientStore().inspect("g");
    await admin.run(`INSERT INTO ${schema}.dt_format (version, works_from) VALUES (2, 2)`);
    const error = await failure(openPatientStore().inspect("g"));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain(
      "version 2, made by a newer @dt/postgres; this one works with version 1. Update @dt/postgres in this process; in another schema it would have a limit of its own",
    );
  });

  test("from before format 1 is refused with the remedy, whatever is in it, and nothing in it changes", async () => {
    // What checkouts from before format 1 began with.
    await admin.run(`
      CREATE SCHEMA ${schema};
      CREATE TABLE ${schema}.dt_version (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
      INSERT INTO ${schema}.dt_version SELECT generate_series(1, 8)`);
    for (const migrate of [true, false]) {
      const error = await failure(openPatientStore({ migrate }).register("g", newcomer()));
      expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
      expect(error.message).toContain("tables of @dt/postgres from before format 1");
      expect(error.message).toContain(`drop the schema (DROP SCHEMA "${schema}" CASCADE), or give another schema`);
    }
    const tables = await admin.rows("SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace", [schema]);
    expect(tables.map(({ relname }) => relname).sort()).toEqual(["dt_version", "dt_version_pkey"]);
    await admin.run(`DROP SCHEMA ${schema} CASCADE`);
    expect(await openPatientStore().register("g", newcomer())).toMatchObject({ members: 1 });
  });

  test("that is older is brought up to date with its groups, and is then as a new one", async () => {
    const store = openPatientStore();
    await store.register("g", newcomer());
    await upgrade();
    expect(await admin.versions(schema)).toEqual([1, 2]);
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1, held: 10 });
    expect(await admin.rows(`SELECT next_ms FROM ${schema}.dt_member`)).toEqual([{ next_ms: 7 }]);
    const fresh = newName();
    await upgrade(fresh);
    expect(await admin.versions(fresh)).toEqual([2]);
    expect(await objects(schema)).toEqual(await objects(fresh));
  });

  test("that is older is brought up to date by an administrator, as the error says", async () => {
    await openPatientStore().inspect("g");
    expect((await failure(looksAt(NEXT))).message).toContain(
      `has version 1 of the store's tables, and version 2 is needed; it may not be brought up to date here (migrate: false): leave that out, or run the text of migrationSql(schema, 1) as an administrator`,
    );
    await admin.run(migrationFrom(1, schema, NEXT));
    expect(await looksAt(NEXT)).toBe(true);
  });

  test("or with objects of another program is refused without harm to them", async () => {
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_member (mine integer)`);
    const error = await failure(openPatientStore().inspect("g"));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toMatch(/objects that are not this store's.*dt_member.*give another schema/);
    expect(await admin.rows(`SELECT to_regclass('${schema}.dt_format') AS format`)).toEqual([{ format: null }]);
  });
});

describe("side by side with the next version", () => {
  test("processes that run go on in one group, and new ones use the schema as it is", async () => {
    const first = openPatientStore();
    const mine = newcomer();
    const view = await first.register("g", mine);
    await upgrade();
    expect(await first.sync("g", mine, adopting(view, 2))).toMatchObject({ status: "agree", held: 10 });
    for (const store of [first, openPatientStore({ migrate: false }), openPatientStore()]) {
      const other = newcomer();
      const joined = await store.register("g", other);
      expect(await store.sync("g", other, adopting(joined, 2))).toMatchObject({ status: "disagree", members: 2 });
      await store.deregister("g", other, { seq: 3, level: null });
    }
    expect(await admin.versions(schema)).toEqual([1, 2]);
  });

  test("a heartbeat that meets the migration is sent again, and counts", async () => {
    const store = openPatientStore();
    const mine = newcomer();
    const view = await store.register("g", mine);
    const migrating = new pg.Client({ connectionString: server.url });
    await migrating.connect();
    await migrating.query(`BEGIN;${migrationFrom(1, schema, NEXT)}`);
    const meeting = store.sync("g", mine, adopting(view, 2));
    const waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    await until("it waits", 5_000, async () => (await admin.number(waiting)) === 1);
    await migrating.query("COMMIT");
    await migrating.end();
    expect(await meeting).toMatchObject({ status: "agree", held: 10 });
  });
});

describe("with migrate: false", () => {
  test("a missing schema is refused with the remedy, and nothing is created", async () => {
    const error = await failure(openPatientStore({ migrate: false }).register("g", newcomer()));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("run the text of migrationSql() as an administrator");
    expect(await admin.number("SELECT count(*) FROM pg_namespace WHERE nspname = $1", [schema])).toBe(0);
  });

  test("a role with no more than the README's privileges works in what an administrator made", async () => {
    await admin.run(migrationSql(schema));
    await admin.run(`CREATE ROLE ${schema} LOGIN`);
    await admin.run(grants(schema, schema));
    const connectionString = addressOf({ user: schema });
    const store = openPatientStore({ migrate: false, hints: true, connectionString });
    const demand = { want: 7, syncMs: 1_000 };
    const [a, b] = [newcomer({ level: 1, resumeWithinMs: 60_000 }), newcomer({ demand })];
    await store.register("g", a);
    const view = await store.register("g", b);
    await store.sync("g", a, adopting(view, 2, { held: 5 }));
    expect(await store.sync("g", b, adopting(view, 2, { demand }))).toMatchObject({
      held: 5,
      demand: { waterLevel: 5 },
    });
    await store.deregister("g", a, { seq: 3, level: 2 });
    expect(await store.register("g", newcomer({ id: a.id }))).toMatchObject({ resumeLevel: 2 });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 2 });
    (await store.onHint?.("g", () => {}))?.();
    const [holder, waiter] = [await SlotMember.join(store, 1, {}, "s"), await SlotMember.join(store, 1, {}, "s")];
    await holder.report({ held: 0, waiting: 1 });
    await waiter.report({ held: 0, waiting: 1 });
    await holder.report({ held: 0 });
    await waiter.hinted(1);
    expect(waiter.hints[0]).toMatchObject({ kind: "offer", held: 1 });
    expect(await store.repair("s")).toMatchObject({ found: [] });
    const requests = [1, 2, 3].map(() => permitRequest({ maxReserved: 3, queueMs: 50 }));
    for (const request of requests) expect(await store.reserve("k", request)).toMatchObject({ granted: 1 });
    await store.release("k", { id: requests[1]?.id as string, keep: 0 });
    expect(await store.reserve("k", permitRequest({ maxReserved: 3 }))).toMatchObject({ granted: 1 });
    expect(await store.reserve("k", permitRequest({ queueMs: 5 }))).toMatchObject({ granted: 0 });
    (await store.onPermitHint?.("k", () => {}))?.();
    const spent = spendRequest();
    expect(await store.spend("b", spent)).toMatchObject({ granted: true });
    const settle = [{ id: spent.reserve.id, costs: [1, 50], measured: true }];
    expect(await store.spend("b", spendRequest({}, { settle }))).toMatchObject({ rests: [8, 850] });
    expect(await store.inspectBudget("b")).toMatchObject({ open: 1 });
    expect(await store.listBudgets()).toEqual({ budgets: ["b"] });
    await store.resetBudget("b");
  });

  test("the administrator's text fails the second time, and leaves everything as it was", async () => {
    await admin.run(migrationSql(schema));
    const store = openPatientStore({ migrate: false });
    await store.register("g", newcomer());
    await expect(admin.run(migrationSql(schema))).rejects.toThrow(/dt_format.* already exists/);
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
  });
});

/** The GRANT statements of the README, for a schema and a role. */
function grants(schema: string, role: string): string {
  const [statements] = readmeBlocks("sql") as [string];
  return statements.replaceAll("SCHEMA dt ", `SCHEMA ${schema} `).replaceAll("TO app;", `TO ${role};`);
}

/** Whether a process of the format that may not migrate finds the schema ready. */
function looksAt(format: Format): Promise<boolean> {
  const runtime = systemRuntime;
  const use = { schema: `"${schema}"`, migrate: false, runtime, timeoutMs: 10_000, setupTimeoutMs: 10_000 };
  return new Schema(new Gate(openPool(server.url), runtime, 10_000, 1), use, format).isReady();
}

/** The functions, tables and columns of a schema, without its name. */
async function objects(name: string): Promise<unknown[]> {
  const rows = await admin.rows(
    `SELECT replace(oid::regprocedure::text, $1, '') AS object, replace(prosrc, $1, '') AS text FROM pg_proc
       WHERE pronamespace = $1::regnamespace
     UNION ALL SELECT attrelid::regclass::text || attname, format_type(atttypid, atttypmod) || attnotnull FROM pg_attribute
       JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = $1::regnamespace AND attnum > 0
     ORDER BY object, text`,
    [name],
  );
  // Columns of types that are the schema's own have its name.
  return rows.map(({ object, text }) => `${object}${text}`.replaceAll(name, ""));
}

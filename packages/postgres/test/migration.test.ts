import type { MemberView } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer, permitRequest } from "@dt-tooling/worlds/requests";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { isMissingSchema } from "../src/errors/sql-state.ts";
import { migrationSql } from "../src/index.ts";
import { makeOldSchema, OldProcess } from "./support/old-version.ts";
import { addressOf, admin, newName, openPatientStore, schema, server, useOwnServer } from "./support/own-server.ts";
import { readmeBlocks } from "./support/readme.ts";

useOwnServer();

describe("a schema of another version", () => {
  test("that is newer is refused, and named with the remedy", async () => {
    await openPatientStore().inspect("g");
    await admin.run(`INSERT INTO ${schema}.dt_version (version) VALUES (9)`);
    const error = await failure(openPatientStore().inspect("g"));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain(
      "version 9, made by a newer @dt/postgres; this one works with version 8. Update @dt/postgres in this process; in another schema it would have a limit of its own",
    );
  });

  test("that is older is brought up to date", async () => {
    // Version 0: the table that counts them, and nothing else.
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_version (version integer PRIMARY KEY)`);
    await admin.run(`ALTER TABLE ${schema}.dt_version ADD applied_at timestamptz NOT NULL DEFAULT now()`);
    await openPatientStore().register("g", newcomer());
    expect(await admin.versions(schema)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7] as const)("%i keeps its groups and gets what is new", async (version) => {
    await makeOldSchema(admin, schema, version);
    await new OldProcess(admin, schema, "old").register("g", 10);
    const store = openPatientStore();
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1, held: 10 });
    expect(await store.register("g", newcomer())).toMatchObject({ poolSize: 2 });
    expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(await admin.versions(schema)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7] as const)(
    "%i is brought up to date by an administrator, as the error says",
    async (version) => {
      await makeOldSchema(admin, schema, version);
      const error = await failure(openPatientStore({ migrate: false }).inspect("g"));
      expect(error.message).toContain(`has version ${version} of the store's tables, and version 8 is needed`);
      expect(error.message).toContain(`run the text of migrationSql(schema, ${version}) as an administrator`);
      await admin.run(migrationSql(schema, version));
      expect(await openPatientStore({ migrate: false }).reserve("k", permitRequest())).toMatchObject({ granted: 1 });
      expect(() => migrationSql(schema, 9)).toThrow(/from is 9/);
    },
  );

  test.each([2, 7] as const)("%i has the same functions, tables and columns as a new one then", async (version) => {
    // Quoted, as the package writes it into functions that no later version changes.
    await makeOldSchema(admin, `"${schema}"`, version);
    const fresh = newName();
    for (const name of [schema, fresh]) await openPatientStore({ schema: name }).inspect("g");
    const objects = async (name: string): Promise<unknown[]> => {
      const rows = await admin.rows(
        `SELECT replace(oid::regprocedure::text, $1, '') AS object, replace(prosrc, $1, '') AS text FROM pg_proc
           WHERE pronamespace = $1::regnamespace
         UNION ALL SELECT attrelid::regclass::text || attname, format_type(atttypid, atttypmod) || attnotnull FROM pg_attribute
           JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = $1::regnamespace AND attnum > 0
         ORDER BY object, text`,
        [name],
      );
      return rows.map(({ object, text }) => String(object).replaceAll(name, "") + text);
    };
    expect(await objects(schema)).toEqual(await objects(fresh));
  });

  test("or with objects of another program is refused without harm to them", async () => {
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_member (mine integer)`);
    const error = await failure(openPatientStore().inspect("g"));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toMatch(/objects that are not this store's.*dt_member.*give another schema/);
    expect(await admin.rows(`SELECT to_regclass('${schema}.dt_version') AS version_table`)).toEqual([
      { version_table: null },
    ]);
  });
});

describe("side by side with another version", () => {
  test.each([2, 3, 4, 5, 6, 7] as const)(
    "processes of version %i that run go on after a newer one has brought the schema up to date, in one group with it",
    async (version) => {
      await makeOldSchema(admin, schema, version);
      const old = new OldProcess(admin, schema, "old", version);
      let view = await old.register("g", 10);
      view = await old.sync("g", view);
      expect(view).toMatchObject({ status: "agree", held: "10" });
      const store = openPatientStore();
      const mine = newcomer();
      const joined = await store.register("g", mine);
      expect(joined).toMatchObject({ status: "disagree", poolSize: 2, held: 0 });
      for (let twice = 0; twice < 2; twice++) view = await old.sync("g", view);
      expect(view).toMatchObject({ pool_size: "2", held: "5", fair: "5" });
      expect(await store.sync("g", mine, adopting(joined, 2))).toMatchObject({ status: "agree", held: 5 });
      const late = new OldProcess(admin, schema, "late", version);
      expect(await late.register("g", 10)).toMatchObject({ pool_size: "3" });
      await late.deregister("g");
      expect(await store.inspect("g")).toMatchObject({ poolSize: 2, held: 10 });
    },
  );

  test("processes of version 4 are answered epochs that have not begun where others start at once", async () => {
    const store = openPatientStore();
    expect(await store.register("g", newcomer())).toMatchObject({ early: 10, fromEpoch: 1 });
    const old = new OldProcess(admin, schema, "old", 4);
    expect(await old.sync("g", await old.register("g", 10))).toMatchObject({ status: "disagree", pool_size: "2" });
  });

  test("processes of version 5 share evenly beside one that shares by demand, and what it wants stays counted", async () => {
    await makeOldSchema(admin, schema, 5);
    const old = new OldProcess(admin, schema, "old", 5);
    let view = await old.sync("g", await old.register("g", 10));
    const store = openPatientStore();
    const mine = newcomer({ demand: { want: 17, syncMs: 1_000 } });
    let joined = accepted(await store.register("g", mine));
    expect(joined).toMatchObject({ held: 0, demand: { level: 5 } });
    for (let twice = 0; twice < 2; twice++) view = await old.sync("g", view);
    expect(view).toMatchObject({ status: "disagree", held: "5", entitled: "5", level: null });
    const say = async (seq: number, want: number): Promise<MemberView> => {
      const report = { ...adopting(joined, seq), demand: { want, syncMs: 1_000 } };
      return accepted(await store.sync("g", mine, report));
    };
    joined = await say(2, 17);
    expect(joined).toMatchObject({ status: "disagree", held: 5, demand: { level: 5 } });
    const late = new OldProcess(admin, schema, "late", 5);
    await late.register("g", 10);
    expect(await counts()).toEqual(["18", "1"]);
    await late.deregister("g");
    expect(await counts()).toEqual(["18", "1"]);
    joined = await say(3, 3);
    expect(await counts()).toEqual(["3", "1"]);
    expect((await store.inspect("g")).members.map(({ id, want }) => [id, want])).toEqual([
      ["old", undefined],
      [mine.id, 3],
    ]);
    await store.deregister("g", mine, { seq: 4, level: null });
    for (let twice = 0; twice < 2; twice++) view = await old.sync("g", view);
    expect(view).toMatchObject({ status: "agree", held: "10" });
    expect(await counts()).toBeNull();
  });

  test("processes of version 6 say nothing of what they do, and leave what others say", async () => {
    await makeOldSchema(admin, schema, 6);
    const old = new OldProcess(admin, schema, "old", 6);
    let view = await old.sync("g", await old.register("g", 10));
    const store = openPatientStore();
    const mine = newcomer();
    const joined = await store.register("g", mine);
    view = await old.sync("g", view);
    await store.sync("g", mine, adopting(joined, 2, { activity: { used: 7, waiting: 3 } }));
    view = await old.sync("g", view);
    const shown = async (): Promise<unknown[]> =>
      (await store.inspect("g")).members.map(({ id, used, waiting }) => [id, used, waiting]);
    expect(await shown()).toEqual([
      ["old", undefined, undefined],
      [mine.id, 7, 3],
    ]);
    const late = new OldProcess(admin, schema, "late", 6);
    await late.register("g", 10);
    // Another rank is another version of the row.
    await old.deregister("g");
    expect(await shown()).toEqual([
      ["late", undefined, undefined],
      [mine.id, 7, 3],
    ]);
    // What a process of version 6 reads is where it was.
    const [row] = await admin.rows(`SELECT * FROM ${schema}.dt_inspect('g')`);
    expect(
      Object.keys(row as object)
        .slice(0, 20)
        .at(-1),
    ).toBe("want");
  });

  test("a heartbeat of version 5 that meets the migration has no effect and may be sent again, and a farewell counts", async () => {
    for (const what of ["sync", "deregister"] as const) {
      const name = newName();
      await makeOldSchema(admin, name, 5);
      const old = new OldProcess(admin, name, "old", 5);
      const view = await old.register("g", 10);
      const migrating = new pg.Client({ connectionString: server.url });
      await migrating.connect();
      await migrating.query(migrationSql(name, 5).replace(/COMMIT;\n$/, ""));
      const meeting = old[what]("g", view).catch((error: unknown) => error);
      const waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
      await until("it waits", 5_000, async () => (await admin.number(waiting)) === 1);
      await migrating.query("COMMIT");
      await migrating.end();
      if (what === "deregister") expect(await meeting).toEqual({ dt_deregister: "" });
      else expect(isMissingSchema(await meeting)).toBe(true);
      const poolSize = what === "deregister" ? 0 : 1;
      expect(await openPatientStore({ schema: name }).inspect("g")).toMatchObject({ poolSize });
      if (what === "sync") expect(await old.sync("g", view)).toMatchObject({ status: "agree", held: "10" });
    }
  });

  test("a newer schema that says it works with this version is used as it is", async () => {
    const first = openPatientStore();
    await first.register("g", newcomer());
    // A made-up next version: a column, a field of the answer and a parameter more than this one knows of.
    await admin.run(`
      INSERT INTO ${schema}.dt_version (version, works_from) VALUES (9, 8);
      ALTER TABLE ${schema}.dt_ledger ADD COLUMN next_ms float8 NOT NULL DEFAULT 7;
      ALTER TABLE ${schema}.dt_member ADD COLUMN next_ms float8 NOT NULL DEFAULT 7;
      ALTER TYPE ${schema}.dt_view ADD ATTRIBUTE next_ms float8`);
    for (const store of [first, openPatientStore({ migrate: false }), openPatientStore()]) {
      const mine = newcomer();
      const view = await store.register("g", mine);
      expect(await store.sync("g", mine, adopting(view, 2))).toMatchObject({ status: "disagree" });
      await store.deregister("g", mine, { seq: 3, level: null });
    }
    expect(await admin.versions(schema)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
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
    const store = openPatientStore({ migrate: false, push: true, connectionString });
    const demand = { want: 7, syncMs: 1_000 };
    const [a, b] = [newcomer({ level: 1, resumeWithinMs: 60_000 }), newcomer({ demand })];
    await store.register("g", a);
    const view = await store.register("g", b);
    await store.sync("g", a, adopting(view, 2, { held: 5 }));
    expect(await store.sync("g", b, adopting(view, 2, { demand }))).toMatchObject({ held: 5, demand: { level: 5 } });
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
    await admin.run(migrationSql(schema));
    const store = openPatientStore({ migrate: false });
    await store.register("g", newcomer());
    await expect(admin.run(migrationSql(schema))).rejects.toThrow(/dt_version_pkey/);
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
  });
});

/** The GRANT statements of the README, for a schema and a role. */
function grants(schema: string, role: string): string {
  const [statements] = readmeBlocks("sql") as [string];
  return statements.replaceAll("SCHEMA dt ", `SCHEMA ${schema} `).replaceAll("TO app;", `TO ${role};`);
}

/** What the counts of the group say: want, members, want, members, ... */
async function counts(): Promise<unknown> {
  const [row] = await admin.rows(`SELECT wants FROM ${schema}.dt_ledger`);
  return (row as { wants: unknown }).wants;
}

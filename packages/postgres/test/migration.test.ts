import { describe, expect, test } from "vitest";
import { migrationSql } from "../src/index.ts";
import { failure } from "./support/failure.ts";
import { adopting, newcomer } from "./support/member.ts";
import { addressOf, admin, openPatientStore, schema } from "./support/own-server.ts";
import { permitRequest } from "./support/permit-request.ts";
import { readmeBlocks } from "./support/readme.ts";

describe("a schema of another version", () => {
  test("that is newer is refused, and named with the remedy", async () => {
    await openPatientStore().inspect("g");
    await admin.run(`INSERT INTO ${schema}.dt_version (version) VALUES (4)`);
    const error = await failure(openPatientStore().inspect("g"));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("version 4, made by a newer @dt/postgres; this one works with version 3. Update");
  });

  test("that is older is brought up to date", async () => {
    // Version 0: the table that counts them, and nothing else.
    await admin.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.dt_version (version integer PRIMARY KEY)`);
    await admin.run(`ALTER TABLE ${schema}.dt_version ADD applied_at timestamptz NOT NULL DEFAULT now()`);
    await openPatientStore().register("g", newcomer());
    expect(await admin.versions(schema)).toEqual([1, 2, 3]);
  });

  test("1, from before permits, keeps its groups and gets permits", async () => {
    const before = openPatientStore();
    await before.register("g", newcomer());
    await before.close();
    await admin.run(backToVersion1(schema));
    const store = openPatientStore();
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
    expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(await admin.versions(schema)).toEqual([1, 2, 3]);
  });

  test("1 is brought up to date by an administrator, as the error says", async () => {
    await admin.run(migrationSql(schema));
    await admin.run(backToVersion1(schema));
    const error = await failure(openPatientStore({ migrate: false }).inspect("g"));
    expect(error.message).toContain("has version 1 of the store's tables, and version 3 is needed");
    expect(error.message).toContain("run the text of migrationSql(schema, 1) as an administrator");
    await admin.run(migrationSql(schema, 1));
    expect(await openPatientStore({ migrate: false }).reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(() => migrationSql(schema, 4)).toThrow(/from is 4/);
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

describe("with migrate: false", () => {
  test("a missing schema is refused with the remedy, and nothing is created", async () => {
    const error = await failure(openPatientStore({ migrate: false }).register("g", newcomer()));
    expect([error.code, error.outcome]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("run the text of migrationSql() as an administrator");
    expect(await admin.number("SELECT count(*) FROM pg_namespace WHERE nspname = $1", [schema])).toBe(0);
  });

  test("a role with no more than the README's privileges works in what an administrator made", async () => {
    await admin.run(migrationSql(schema));
    await admin.run(`CREATE ROLE ${schema} LOGIN`);
    await admin.run(grants(schema, schema));
    const connectionString = addressOf({ user: schema });
    const store = openPatientStore({ migrate: false, push: true, connectionString });
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
    await admin.run(migrationSql(schema));
    const store = openPatientStore({ migrate: false });
    await store.register("g", newcomer());
    await expect(admin.run(migrationSql(schema))).rejects.toThrow(/dt_version_pkey/);
    expect(await store.inspect("g")).toMatchObject({ poolSize: 1 });
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
    DELETE FROM ${schema}.dt_version WHERE version > 1;`;
}

/** The GRANT statements of the README, for a schema and a role. */
function grants(schema: string, role: string): string {
  const [statements] = readmeBlocks("sql") as [string];
  return statements.replaceAll("SCHEMA dt ", `SCHEMA ${schema} `).replaceAll("TO app;", `TO ${role};`);
}

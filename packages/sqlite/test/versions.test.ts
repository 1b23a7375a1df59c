import { DatabaseSync } from "node:sqlite";
import { failure } from "@dt-tooling/backends/failure";
import { afterEach, describe, expect, it } from "vitest";
import { migrate } from "../src/schema.ts";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

/** What version 2 of the schema may be one day: a weight for each member. */
const NEXT = ["ALTER TABLE members ADD COLUMN weight INTEGER NOT NULL DEFAULT 1"];

const open: DatabaseSync[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

function database(path: string): DatabaseSync {
  const one = new DatabaseSync(path);
  open.push(one);
  return one;
}

describe("a file that the next version has changed while this one uses it", () => {
  it("has the rows of before with the new column, refuses this version, and is changed by it no more", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    const view = await store.register("g", registration("a"));
    const next = database(path);
    migrate(next, path, NEXT);
    // A second process of that version finds nothing left to do.
    migrate(database(path), path, NEXT);
    const rows = (): unknown => next.prepare("SELECT incarnation, held, weight FROM members").all();
    expect(rows()).toEqual([{ incarnation: ref("a").incarnation, held: 100, weight: 1 }]);
    const generation = "generation" in view ? view.generation : 0;
    for (const call of [
      () => store.sync("g", ref("a"), report(2, { generation, members: 1, held: 0 })),
      () => store.register("g", registration("b")),
      () => store.repair("g", { reset: true }),
      () => store.inspect("g"),
      () => sandbox.store(path).register("g", registration("b")),
      () => sandbox.store(path, { migrate: false }).inspect("g"),
    ]) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
      expect(error.message).toContain(
        "has schema version 2, made by a newer @dt/sqlite; this one knows versions up to 1",
      );
    }
    expect(rows()).toEqual([{ incarnation: ref("a").incarnation, held: 100, weight: 1 }]);
  });
});

describe("a file of a checkout from before format 1", () => {
  it.each([1, 2])("is refused with schema version %i, and stays as it is", async (version) => {
    const path = sandbox.path();
    const before = database(path);
    before.exec(`CREATE TABLE groups (group_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, held REAL, freed TEXT);
      INSERT INTO groups (name, held, freed) VALUES ('g', 100, '[1,2,3,4,5,6]');
      PRAGMA application_id = ${0x64747374}; PRAGMA user_version = ${version}`);
    const content = (): unknown =>
      ["PRAGMA user_version", "PRAGMA application_id", "SELECT * FROM groups", "SELECT sql FROM sqlite_schema"].map(
        (sql) => before.prepare(sql).all(),
      );
    const untouched = content();
    for (const options of [{}, { migrate: false }]) {
      const error = await failure(sandbox.store(path, options).register("g", registration("a")));
      expect(error.code).toBe("DT_STORE_UNSUITABLE");
      expect(error.message).toContain("of this package before its first release; give the store a file of its own");
    }
    expect(content()).toEqual(untouched);
  });
});

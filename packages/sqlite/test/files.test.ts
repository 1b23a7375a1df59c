import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@dt/sqlite";
import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, it } from "vitest";
import { checkOwnership } from "../src/schema.ts";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

describe("a file that cannot be used is refused with its path and what to do", () => {
  it("when it is not a database", async () => {
    const path = sandbox.path();
    writeFileSync(path, "hello, this is a text file and no database\n".repeat(100));
    const error = await failure(sandbox.store(path).register("g", registration("a")));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain(`${path} is not an SQLite database; give the path of a new file`);
    expect(readFileSync(path, "utf8")).toContain("hello");
  });

  it("when it is another program's database", async () => {
    const path = sandbox.path();
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY)");
    database.close();
    const error = await failure(sandbox.store(path).inspect("g"));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain(`${path} is a database of another program, or of this package`);
  });

  it("when a newer version of the package made it", async () => {
    const path = sandbox.path();
    await sandbox.store(path).register("g", registration("a"));
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 2");
    database.close();
    const error = await failure(sandbox.store(path).inspect("g"));
    expect(error.code).toBe("DT_STORE_DATA");
    expect(error.message).toContain("has schema version 2, made by a newer @dt/sqlite");
    expect(error.message).toMatch(
      /Update @dt\/sqlite in this process; in another file it would have a limit of its own$/,
    );
  });

  it("when its pages are damaged", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    for (let i = 0; i < 200; i++) await first.register("g", registration(`p${i}`));
    await first.close();
    const bytes = readFileSync(path);
    bytes.fill(0xaa, 4_096);
    writeFileSync(path, bytes);
    const error = await failure(sandbox.store(path).sync("g", ref("p7"), report(2)));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain(`${path} is damaged; stop its users and delete it`);
  });

  it("when its directory does not exist, or it is a directory", async () => {
    const missing = join(sandbox.folder, "no-such-folder", "throttle.db");
    const folder = join(sandbox.folder, "folder.db");
    mkdirSync(folder);
    for (const path of [missing, folder]) {
      const error = await failure(sandbox.store(path).inspect("g"));
      expect(error.code).toBe("DT_STORE_UNAVAILABLE");
      expect(error.message).toContain(`${path} cannot be opened; see that its directory exists`);
    }
  });

  it("when the process may not write the directory", async () => {
    const folder = join(sandbox.folder, "read-only");
    mkdirSync(folder, { mode: 0o555 });
    const path = join(folder, "throttle.db");
    const error = await asOrdinaryUser(() => failure(sandbox.store(path).inspect("g")));
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    expect(error.message).toContain(path);
    expect(error.message).toContain("may read and write it");
  });

  it("when the process may read it and not write it", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    await first.register("g", registration("a"));
    await first.close();
    const error = await asOrdinaryUser(() => failure(sandbox.store(path).register("g", registration("b"))));
    expect(["DT_STORE_UNSUITABLE", "DT_STORE_UNAVAILABLE"]).toContain(error.code);
    expect(error.message).toContain(path);
    expect(error.message).toMatch(/write/);
  });
});

it("a file that another process gives its tables to, while this one looks whose it is, is no other program's", async () => {
  const path = sandbox.path();
  const looking = new DatabaseSync(path);
  const other = sandbox.store(path, { timeout: "50ms" });
  let registered: Promise<unknown> | undefined;
  const prepare = looking.prepare.bind(looking);
  looking.prepare = (sql) => {
    // The last of the three questions.
    if (sql.includes("sqlite_schema")) registered = other.register("g", registration("a")).catch(() => {});
    return prepare(sql);
  };
  checkOwnership(looking, path);
  await registered;
  looking.close();
  expect(registered).toBeDefined();
  expect(await other.register("g", registration("a"))).toMatchObject({ members: 1 });
});

describe("a file that disappears while it is in use", () => {
  it("fails one call, and the next one begins a new file", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    await store.register("g", registration("a"));
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    const error = await failure(store.sync("g", ref("a"), report(2)));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toContain(`${path} was deleted while it was in use`);
    expect(await store.sync("g", ref("a"), report(3))).toMatchObject({ status: "unknown" });
    expect(existsSync(path)).toBe(true);
  });

  it("is noticed when another file takes its place", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    await store.register("g", registration("a"));
    const elsewhere = sandbox.path();
    const other = sqliteStore({ path: elsewhere });
    await other.register("g", registration("b"));
    await other.close();
    renameSync(elsewhere, path);
    const error = await failure(store.sync("g", ref("a"), report(2)));
    expect(error.message).toContain(`${path} was replaced while it was in use`);
  });
});

describe("the file", () => {
  it("is not opened before the first call", () => {
    const path = sandbox.path();
    sandbox.store(path);
    expect(existsSync(path)).toBe(false);
  });

  it("keeps its members over a restart of every process", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    const before = await first.register("g", registration("a"));
    await first.close();
    const second = sandbox.store(path);
    const view = await second.sync("g", ref("a"), report(2));
    expect(view).toMatchObject({ status: "agree", generation: (before as { generation: number }).generation });
  });

  it("has groups whose first member uses its tokens at once, unless it is told to learn", async () => {
    const store = sandbox.store(sandbox.path());
    expect(await store.register("g", registration("a"))).toMatchObject({ entitled: 100, early: 100 });
    const told = registration("a", { learningMs: 3_000 });
    expect(await store.register("told", told)).toMatchObject({ learning: true, entitled: 0 });
  });

  it("is empty after being cut to nothing while nobody used it", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    await first.register("g", registration("a"));
    await first.close();
    truncateSync(path);
    expect(await sandbox.store(path).inspect("g")).toMatchObject({ memberCount: 0 });
  });

  it("carries a copy's groups, as one does with a file", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    await first.register("g", registration("a"));
    await first.close();
    const copy = sandbox.path();
    copyFileSync(path, copy);
    expect(await sandbox.store(copy).inspect("g")).toMatchObject({ memberCount: 1 });
  });

  it("forgets groups that have been empty for more than a week when it is opened, and their levels", async () => {
    const path = sandbox.path();
    const first = sqliteStore({ path });
    const terms = { resumeWithinMs: 1_000 };
    for (const group of ["old", "new", "used", "remembered"]) {
      await first.register(
        group,
        registration("a", group === "remembered" ? { resumeWithinMs: 30 * 86_400_000 } : terms),
      );
      if (group !== "used") await first.deregister(group, ref("a"), { seq: 2, level: 5 });
    }
    await first.close();
    const database = new DatabaseSync(path);
    // And the interval of a second, and a little.
    const week = 7 * 86_400_000 + 2_000;
    database.exec(`UPDATE groups SET last_ms = last_ms - ${week} WHERE name != 'new'`);
    database.exec(`UPDATE levels SET until_ms = until_ms - ${week}`);
    database.close();
    await sandbox.store(path).inspect("new");
    const after = new DatabaseSync(path);
    const names = after
      .prepare("SELECT name FROM groups ORDER BY name")
      .all()
      .map(({ name }) => name);
    expect(names).toEqual(["new", "remembered", "used"]);
    expect(after.prepare("SELECT count(*) AS levels FROM levels").get()).toEqual({ levels: 2 });
    after.close();
  });

  it("forgets levels whose time is over when the next one is remembered", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    const leave = async (group: string, id: string): Promise<void> => {
      await store.register(group, registration(id, { resumeWithinMs: 60_000 }));
      await store.deregister(group, ref(id), { seq: 2, level: 5 });
    };
    for (const id of ["a", "b", "c"]) await leave("g", id);
    await leave("other", "kept");
    const database = new DatabaseSync(path);
    database.exec("UPDATE levels SET until_ms = 1 WHERE id IN ('a', 'b')");
    await leave("g", "d");
    const left = database.prepare("SELECT id FROM levels ORDER BY id").all();
    database.close();
    expect(left.map(({ id }) => id)).toEqual(["c", "d", "kept"]);
  });

  it("keeps an empty group for a week after the epoch in which its last tokens may have been used", async () => {
    const path = sandbox.path();
    const dayMs = 86_400_000;
    const first = sqliteStore({ path });
    const terms = { intervalMs: 20 * dayMs };
    await first.register("g", registration("a", terms));
    await first.deregister("g", ref("a"), { seq: 2, level: null });
    await first.close();
    const pass = (days: number): void => {
      const database = new DatabaseSync(path);
      database.exec(`UPDATE groups SET last_ms = last_ms - ${days * dayMs}`);
      database.close();
    };
    pass(26);
    const second = sqliteStore({ path });
    expect((await second.inspect("g")).generation).toBeGreaterThan(0);
    await second.close();
    pass(2);
    expect(await sandbox.store(path).inspect("g")).toMatchObject({ generation: 0 });
  });

  it("keeps an empty group until shares that a reset has forgotten have ended, and learns in it until then", async () => {
    const path = sandbox.path();
    const dayMs = 86_400_000;
    const terms = { intervalMs: 20 * dayMs, staleAfterMs: 30 * dayMs };
    const first = sqliteStore({ path });
    await first.register("g", registration("a", terms));
    await first.repair("g", { reset: true });
    await first.close();
    const pass = (days: number): void => {
      const database = new DatabaseSync(path);
      database.exec(`UPDATE groups SET last_ms = last_ms - ${days * dayMs}, learn_until_ms = learn_until_ms - ${days * dayMs},
        learn_from_ms = learn_from_ms - ${days * dayMs}, created_at_ms = created_at_ms - ${days * dayMs}`);
      database.close();
    };
    pass(10);
    const second = sqliteStore({ path });
    // What the member of before may still use is given to nobody.
    expect(await second.register("g", registration("b", terms))).toMatchObject({ learning: true, held: 0 });
    await second.deregister("g", ref("b"), { seq: 2, level: null });
    await second.close();
    pass(38);
    expect(await sandbox.store(path).inspect("g")).toMatchObject({ generation: 0 });
  });

  it("stays small under a steady load: the log is written back", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    await store.register("g", registration("a"));
    for (let seq = 2; seq < 5_000; seq++) await store.sync("g", ref("a"), report(seq));
    // SQLite's own checkpoint comes at 1,000 pages of 4,096 bytes.
    expect(statSync(`${path}-wal`).size).toBeLessThan(2 * 1_000 * 4_200);
    expect(statSync(path).size).toBeLessThan(200_000);
  });
});

/** Runs the beginning of something, up to its first wait, without the rights of root. */
async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

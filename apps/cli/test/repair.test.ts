import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPacer, createThrottle } from "@dt/core";
import { semaphoreGroup } from "@dt/core/internal";
import { sqliteStore } from "@dt/sqlite";
import { newcomer, spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

describe("dt repair", () => {
  test("mends a throttle whose row is damaged while its member runs, and says what was wrong", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using throttle = createThrottle({ name: "payments", max: 10, store });
    await throttle.start();
    damage(path, "UPDATE groups SET member_count = 99");
    const { code, stdout, stderr } = await run("repair", `sqlite:${path}`, "throttle", "payments", "--json");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "throttle",
      name: "payments",
      found: [expect.stringContaining("99")],
    });
    expect((await run("repair", `sqlite:${path}`, "throttle", "payments")).stdout).toContain("nothing was wrong");
    expect(await store.inspect("payments")).toMatchObject({ memberCount: 1 });
  });

  test("--reset starts a throttle anew, and its member comes back by itself", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using throttle = createThrottle({ name: "payments", max: 10, syncInterval: "50ms", store });
    await throttle.start();
    const before = await store.inspect("payments");
    const { code, stdout } = await run("repair", `sqlite:${path}`, "throttle", "payments", "--reset");
    expect(stdout).toBe('Throttle "payments" starts anew; its members register again at their next sync.\n');
    expect(code).toBe(0);
    await expect.poll(() => store.inspect("payments").then(({ memberCount }) => memberCount)).toBe(1);
    expect((await store.inspect("payments")).generation).toBeGreaterThan(before.generation);
  });

  test.each([[], ["--reset"]])("says that there is no such throttle, and makes none (%j)", async (...flags) => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using throttle = createThrottle({ name: "payments", max: 10, store });
    await throttle.start();
    const { code, stdout } = await run("repair", `sqlite:${path}`, "throttle", "paymnets", ...flags);
    expect(stdout).toBe('There is no throttle "paymnets".\n');
    expect(code).toBe(0);
    expect((await run("repair", `sqlite:${path}`, "throttle", "paymnets", "--json", ...flags)).stdout).toBe("null\n");
    expect((await store.list()).groups).toEqual(["payments"]);
  });

  test("mends a semaphore, and leaves the throttle of its name alone", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    const group = semaphoreGroup("ocr");
    await store.register(group, newcomer({ intervalMs: 1 }));
    await store.register("ocr", newcomer());
    damage(path, "UPDATE groups SET member_count = 99 WHERE name LIKE 'semaphore/%'");
    const address = `sqlite:${path}`;
    expect((await run("repair", address, "semaphore", "ocr")).stdout).toMatch(
      /^- .*99.*\nSemaphore "ocr": mended; members on record: 1\.\n$/,
    );
    const { code, stdout } = await run("repair", address, "semaphore", "ocr", "--reset");
    expect(stdout).toBe('Semaphore "ocr" starts anew; its members register again at their next sync.\n');
    expect(code).toBe(0);
    expect(JSON.parse((await run("repair", address, "semaphore", "ocr", "--json")).stdout)).toMatchObject({
      kind: "semaphore",
      name: "ocr",
      found: [],
      members: 0,
    });
    expect(await store.inspect("ocr")).toMatchObject({ memberCount: 1 });
    expect((await run("repair", address, "semaphore", "orc")).stdout).toBe('There is no semaphore "orc".\n');
  });

  test("forgets what is reserved of a pacer", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using pacer = createPacer({ name: "api", every: "1h", store });
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: expect.any(Number) });
    const { code, stdout } = await run("repair", `sqlite:${path}`, "pacer", "api");
    expect(stdout).toBe('Pacer "api" starts anew.\n');
    expect(code).toBe(0);
  });

  test("forgets what is spent of a budget, also where its row is damaged", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    const spend = () => store.spend("llm", spendRequest({ costs: [1, 1_000] }));
    expect(await spend()).toMatchObject({ granted: true });
    expect(await spend()).toMatchObject({ granted: false });
    const { code, stdout } = await run("repair", `sqlite:${path}`, "budget", "llm");
    expect([code, stdout]).toEqual([0, 'Budget "llm" starts anew.\n']);
    expect(await spend()).toMatchObject({ granted: true });
    damage(path, "UPDATE budgets SET row = 'hello'");
    expect((await run("status", `sqlite:${path}`, "llm")).stdout).toContain("dt repair <store> budget <name>");
    expect(JSON.parse((await run("repair", `sqlite:${path}`, "budget", "llm", "--json")).stdout)).toEqual({
      ...{ kind: "budget", name: "llm", reset: true },
    });
    expect(await spend()).toMatchObject({ granted: true });
    expect((await run("repair", `sqlite:${path}`, "budget", "lmm")).stdout).toBe(
      'Nothing is spent of the budget "lmm".\n',
    );
    expect(JSON.parse((await run("repair", `sqlite:${path}`, "budget", "lmm", "--json")).stdout)).toEqual({
      ...{ kind: "budget", name: "lmm", reset: false },
    });
  });

  test.each([
    [["repair", "sqlite:x.db"], 2, "give the kind of the limiter and its name, as in: dt repair"],
    [["repair", "sqlite:x.db", "payments"], 2, '"payments" is no kind of limiter; give one of throttle, pacer'],
    [["repair", "sqlite:x.db", "throttle"], 2, "give the name of the throttle after its kind, as in: dt repair"],
    [["repair", "sqlite:x.db", "pacer", "k", "--reset"], 2, "--reset is for throttles"],
    [["repair", "sqlite:x.db", "budget", "k", "--reset"], 2, "a budget is always started anew"],
    [
      ["repair", "sqlite:/no/such/folder/x.db", "throttle", "g"],
      1,
      "sqlite:/no/such/folder/x.db: nothing was repaired",
    ],
    [["repair", "redis://u:secret@127.0.0.1:1", "throttle", "g"], 1, "redis://127.0.0.1:1: nothing was repaired"],
  ])("%j ends with exit code %d and says why", async (args, expected, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
    expect(stdout).toBe("");
    expect(code).toBe(expected);
  });
});

function damage(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

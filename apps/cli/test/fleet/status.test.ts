import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPacer, createSemaphore, createThrottle, setLimit } from "@dt/core";
import { semaphoreGroup } from "@dt/core/internal";
import { type SqliteStore, sqliteStore } from "@dt/sqlite";
import { accepted, newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { dtInShell } from "../support/cli.ts";
import { run } from "../support/run.ts";
import { scratchFolder } from "../support/scratch.ts";

/** A file, and a store on it. */
function scratchStore(): { readonly path: string; readonly address: string; readonly store: SqliteStore } {
  const path = join(scratchFolder(), "ledger.db");
  return { path, address: `sqlite:${path}`, store: sqliteStore({ path }) };
}

const limit = { max: 5, windowMs: 3_600_000, burst: 5 };
const takeOf = (cost: number) => ({ cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 });

/** Members of a throttle that report what they use, and wait for. */
async function report(store: SqliteStore, group: string, of: Record<string, [used: number, waiting: number]>) {
  const members = Object.keys(of).map((id) => newcomer({ id, max: 100, staleAfterMs: 60_000 }));
  for (const member of members) await store.register(group, member);
  for (const member of members) {
    const view = accepted(await store.sync(group, member, { ...REPORT, seq: 2 }));
    const [used, waiting] = of[member.id] as [number, number];
    const { generation, entitled: held, members: count } = view;
    await store.sync(group, member, {
      ...REPORT,
      ...{ seq: 3, generation, held, members: count },
      activity: { used, waiting },
    });
  }
}

const REPORT = { generation: 0, members: 0, held: 0, max: 100, level: null };

describe("dt status", () => {
  test("says first what matters most, then has a row for each limiter", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await report(store, "payments", { "web-1": [60, 30], "web-2": [40, 5], "web-3": [0, 0] });
    await store.register(semaphoreGroup("ocr"), newcomer({ intervalMs: 1 }));
    await store.reserve("emails", permitRequest({ everyMs: 3_600_000, terms: "every 3600000 ms, burst 1" }));
    await store.spend("llm", spendRequest({ costs: [1, 600.2504] }));
    await store.take([
      { name: "api", key: "tenant-17", limit, take: takeOf(5) },
      { name: "api", key: "tenant-18", limit, take: takeOf(1) },
    ]);
    const { code, stdout, stderr } = await run("status", address, "--silent-after", "1h");
    expect([code, stderr]).toEqual([0, ""]);
    const [verdict, table, findings] = stdout.split("\n\n");
    expect(verdict).toBe(
      "payments: limited by tokens: 100 of 100/s used, 35 tokens waited for; 1 of 3 members idle; 1 other limiter is limited",
    );
    expect(table).toMatch(/^kind +name +limit +used +utilization +members +waiting +state$/m);
    expect(table).toMatch(/^throttle +payments +100\/s +100 +100 % +3 +35 +limited$/m);
    expect(table).toMatch(/^semaphore +ocr +10 +- +- +1 +- +ok$/m);
    expect(table).toMatch(/^pacer +emails +1\/h +- +- +- +0 +ok$/m);
    expect(table).toMatch(/^budget +llm +calls 10\/min +1 +10 % +- +- +ok$/m);
    expect(table).toMatch(/^budget +llm +tokens 1,000\/min +600\.25 +60 %$/m);
    expect(table).toMatch(/^keyed +api +- +1 key +- +2 keys +- +limited$/m);
    expect(findings).toContain("limited    keyed api: nothing is left of 1 of 2 keys: tenant-17\n");
  });

  test("of one name shows the members, and why each holds what it holds", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await report(store, "payments", { "web-1": [50, 30], "web-2": [0, 0] });
    const { code, stdout } = await run("status", address, "payments");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^payments: callers wait for 30 tokens, while 50 % of the limit is used; .*demand/);
    expect(stdout).toMatch(/^member +holds +even part +used +waiting +limit +silent for +state +why$/m);
    const why = "even part of 100 tokens among 2 members";
    expect(stdout).toMatch(new RegExp(`^web-1 +\\d+ +50 +50 +30 +100 +\\d+(\\.\\d)? s +active +.*${why}`, "m"));
    expect(stdout).toMatch(/^web-2 +\d+ +50 +0 +0 +100 +\d+(\.\d)? s +idle +/m);
  });

  test("shows what the members of a throttle want whose shares follow demand, as they report it", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using throttle = createThrottle({
      ...{ name: "payments", max: 10, shares: "demand", memberId: "api-1", syncInterval: "50ms", store },
    });
    await throttle.start();
    await expect
      .poll(async () => (await run("status", address, "payments")).stdout)
      .toMatch(/^api-1 +\d+ +10 +0 +0 +0 +10 +\d\.?\d* s +idle +wants nothing$/m);
  });

  test("shows who set a limit in the store, when and why", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using throttle = createThrottle({ name: "mail", max: 10, stored: true, store });
    await throttle.start();
    await setLimit(store, { kind: "throttle", name: "mail" }, "4/s", { by: "ann", why: "an incident" });
    const { stdout } = await run("status", address, "mail");
    expect(stdout).toContain('Throttle "mail": max 4, set in the store by ann.');
    expect(stdout).toMatch(/^\d{4}-.*ann .*max 4 .*an incident$/m);
  });

  test("finds a limit in the store that no process uses, and exits with 3", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using throttle = createThrottle({ name: "mail", max: 10, store });
    await throttle.start();
    await setLimit(store, { kind: "throttle", name: "mail" }, "4/s", { by: "ann" });
    const { code, stdout } = await run("status", address);
    expect(code).toBe(3);
    expect(stdout).toContain("the limit in the store is not used, since no process has stored: true");
  });

  test("tells limiters of one name apart by their kinds; --kind has one", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using semaphore = createSemaphore({ name: "ocr", max: 4, memberId: "api", syncInterval: "50ms", store });
    await using pacer = createPacer({ name: "ocr", every: "1h", store });
    await pacer.tryAcquire();
    using _slot = await semaphore.acquire(4);
    const waiting = semaphore.acquire(2).catch((error) => error.code);
    await expect
      .poll(async () => (await run("status", address, "ocr", "--kind", "semaphore")).stdout)
      .toMatch(/^ocr: limited by slots: 4 of 4 in use, 2 slots waited for\n/);
    const { stdout } = await run("status", address, "ocr");
    expect(stdout).toMatch(/^semaphore ocr: limited by slots/);
    expect(stdout).toMatch(/^pacer ocr: ok\n {2}ok {9}reserved for 60 min from now/m);
    expect(stdout).toContain('Its users agree on "every 3600000 ms, burst 1".');
    await semaphore.stop();
    expect(await waiting).toBe("DT_STOPPED");
  });

  test("shows a limiter with a damaged row, and the others as well; exits with 3", async () => {
    const { path, address, store: opened } = scratchStore();
    await using store = opened;
    await store.spend("llm", spendRequest());
    await store.spend("other", spendRequest());
    new DatabaseSync(path).exec("UPDATE budgets SET row = 'hello' WHERE name = 'llm'");
    const { code, stdout } = await run("status", address, "--json");
    expect(code).toBe(3);
    const { state, verdict, limiters } = JSON.parse(stdout);
    expect(state).toBe("attention");
    expect(verdict).toMatch(/^llm: cannot be read: /);
    expect(limiters).toMatchObject([
      { name: "llm", state: "attention", error: { code: "DT_STORE_DATA" }, limits: [] },
      { name: "other", state: "ok" },
    ]);
    expect(limiters[1]).not.toHaveProperty("error");
  });

  test("of a row that claims a million members shows those that there are, and of a group that learns that it does", async () => {
    const { path, address, store: opened } = scratchStore();
    await using store = opened;
    await store.register("payments", newcomer({ id: "web-1", learningMs: 16_000 }));
    expect((await run("status", address, "--silent-after", "1h")).stdout).toMatch(
      /^payments: it learns what was held before/,
    );
    new DatabaseSync(path).exec("UPDATE groups SET member_count = 1000000");
    const { code, stdout } = await run("status", address, "payments", "--json");
    const [payments] = JSON.parse(stdout).limiters;
    expect(code).toBe(3);
    expect(payments.findings[0].code).toMatch(/^(miscounted|damaged)$/);
    expect(payments.members?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test("names the nearest name of what is not there, and exits with 1", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.register("payments", newcomer());
    await store.take([{ name: "api", key: "tenant-17", limit, take: takeOf(1) }]);
    const missing = async (...args: string[]) => {
      const { code, stdout, stderr } = await run("status", address, ...args);
      expect([code, stdout]).toEqual([1, ""]);
      return stderr;
    };
    expect(await missing("paymnets")).toBe("error: there is no limiter paymnets; did you mean payments?\n");
    expect(await missing("payments", "--kind", "pacer")).toBe("error: there is no pacer payments\n");
    expect(await missing("apy")).toContain("did you mean api?");
    expect(await missing("api", "--key", "tenant-71")).toContain("did you mean tenant-17?");
    expect(await missing("x".repeat(1_024))).toMatch(/^error: there is no limiter x+\.\.\.x+\n$/);
    const long = "x".repeat(1_024);
    await store.register(long, newcomer());
    expect((await run("status", address, long, "--silent-after", "1h")).stdout).toMatch(/^throttle x+\.\.\.x+: ok$/m);
    const json = await run("status", address, "paymnets", "--json");
    expect([json.code, JSON.parse(json.stdout).limiters]).toEqual([1, []]);
  });

  test("sorts by what is asked for", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.spend("b-low", spendRequest({ costs: [1, 1] }));
    await store.spend("c-full", spendRequest({ costs: [10, 1] }));
    await store.spend("a-half", spendRequest({ costs: [5, 1] }));
    const order = async (...args: string[]) =>
      JSON.parse((await run("status", address, "--json", ...args)).stdout).limiters.map(
        ({ name }: { name: string }) => name,
      );
    expect(await order()).toEqual(["c-full", "a-half", "b-low"]);
    expect(await order("--sort", "name")).toEqual(["a-half", "b-low", "c-full"]);
    expect(await order("--sort", "utilization")).toEqual(["c-full", "a-half", "b-low"]);
  });

  test("of an empty store says that it is empty", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.list();
    const { code, stdout } = await run("status", address);
    expect([code, stdout]).toEqual([0, "the store keeps nothing of any limiter\n"]);
  });

  test("--help has every option and every exit code", async () => {
    const { stdout } = await run("status", "--help");
    for (const option of ["kind", "key", "keys", "sort", "silent-after", "watch", "json"])
      expect(stdout).toContain(`--${option}`);
    for (const code of [0, 1, 2, 3, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} +`, "m"));
  });
});

test("as a program it ends without a word when its reader has had enough", async () => {
  const { address, store: opened } = scratchStore();
  await using store = opened;
  const permit = { count: 1, cost: 1, everyMs: 60_000, burst: 1, maxReserved: 1, keepMs: 60_000, queueMs: 0 };
  // More than a pipe holds.
  for (let i = 0; i < 600; i++) await store.reserve(`${i}`.padEnd(500, "x"), { id: "r", ...permit });
  for (const args of [[], ["--json", "--watch", "1"]]) {
    const { stdout, stderr } = await dtInShell('"$@" | head -c 100', "status", address, ...args);
    expect(stderr).toBe("");
    expect(stdout).toHaveLength(100);
  }
});

test.each([
  [["status"], 2, "missing required argument 'store'"],
  [["status", "mysql://localhost"], 2, "is of no known kind"],
  [["status", "sqlite:x.db", "a", "--kind", "thottle"], 2, "Allowed choices are throttle, pacer, semaphore"],
  [["status", "sqlite:x.db", "--key", "a"], 2, "--key needs the keyed limit's name"],
  [["status", "sqlite:x.db", "a", "--key", "a", "--kind", "pacer"], 2, "--key is for keyed limits alone"],
  [["status", "sqlite:x.db", "--sort", "age"], 2, "Allowed choices are state, utilization, waiting, name"],
  [["status", "sqlite:x.db", "--watch", "0"], 2, "Give a whole number from 1 to 3600."],
  [["status", "sqlite:x.db", "--keys", "0"], 2, "Give a whole number from 1 to 1000000."],
  [["status", "sqlite:x.db", "--silent-after", "0s"], 2, "Give a time of more than 0"],
  [["status", "sqlite:/no/such/folder/x.db"], 1, "it could not be read: there is no file /no/such/folder/x.db"],
  [["status", "redis://u:secret@127.0.0.1:1", "g"], 1, "redis://127.0.0.1:1: it could not be read: "],
  [["status", "redis://u:secret@127.0.0.1:1", "--watch", "1"], 1, "redis://127.0.0.1:1: it could not be read: "],
])("%j ends with exit code %d and says why", async (args, expected, message) => {
  const { code, stdout, stderr } = await run(...args);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("secret");
  expect(stdout).toBe("");
  expect(code).toBe(expected);
});

test("of a file that is not there it makes none", async () => {
  const path = join(scratchFolder(), "absent.db");
  expect((await run("status", `sqlite:${path}`)).code).toBe(1);
  expect(existsSync(path)).toBe(false);
});

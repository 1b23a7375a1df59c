import { existsSync } from "node:fs";
import { join } from "node:path";
import { createPacer, createSemaphore, createThrottle } from "@dt/core";
import { semaphoreGroup } from "@dt/core/internal";
import { sqliteStore } from "@dt/sqlite";
import { accepted, newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { dtInShell } from "./support/cli.ts";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

/** A file with throttles, pacers and semaphores of these names. */
async function storeWith(
  throttles: readonly string[],
  pacers: readonly string[],
  semaphores: readonly string[] = [],
  budgets: readonly string[] = [],
): Promise<string> {
  const path = join(scratchFolder(), "ledger.db");
  await using store = sqliteStore({ path });
  for (const name of throttles) {
    await using throttle = createThrottle({ name, max: 10, memberId: "api", store });
    await throttle.start();
  }
  for (const name of pacers) {
    await using pacer = createPacer({ name, every: "1h", store });
    await pacer.tryAcquire();
  }
  for (const name of semaphores) await store.register(semaphoreGroup(name), newcomer({ intervalMs: 1 }));
  for (const name of budgets) await store.spend(name, spendRequest({ costs: [1, 600.2504] }));
  return `sqlite:${path}`;
}

describe("dt list", () => {
  test("prints throttles and pacers, a line each, whatever their names", async () => {
    const address = await storeWith(["payments", "two\nlines"], ["emails"]);
    const { code, stdout, stderr } = await run("list", address);
    expect(stderr).toBe("");
    expect(stdout).toBe('throttle  "payments"\nthrottle  "two\\nlines"\npacer     "emails"\n');
    expect(code).toBe(0);
    expect((await run("list", address, "throttle")).stdout).not.toContain("emails");
    expect((await run("list", address, "pacer")).stdout).toBe('pacer     "emails"\n');
  });

  test("tells a semaphore from a throttle of the same name", async () => {
    const address = await storeWith(["ocr"], [], ["ocr", "two\nlines"]);
    expect((await run("list", address)).stdout).toBe('throttle  "ocr"\nsemaphore "ocr"\nsemaphore "two\\nlines"\n');
    expect((await run("list", address, "throttle")).stdout).toBe('throttle  "ocr"\n');
    const { stdout } = await run("list", address, "semaphore", "--json");
    expect(JSON.parse(stdout)).toEqual(["ocr", "two\nlines"].map((name) => ({ kind: "semaphore", name })));
  });

  test("prints budgets, a line each", async () => {
    const address = await storeWith([], ["llm"], [], ["llm", "two\nlines"]);
    expect((await run("list", address)).stdout).toBe('pacer     "llm"\nbudget    "llm"\nbudget    "two\\nlines"\n');
    expect((await run("list", address, "pacer")).stdout).toBe('pacer     "llm"\n');
    const { stdout } = await run("list", address, "budget", "--json");
    expect(JSON.parse(stdout)).toEqual(["llm", "two\nlines"].map((name) => ({ kind: "budget", name })));
  });

  test("--json prints one array, of all pages", async () => {
    const pacers = Array.from({ length: 101 }, (_, i) => `pacer ${i}`);
    const address = await storeWith(["payments"], pacers);
    const { code, stdout } = await run("list", address, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { kind: "throttle", name: "payments" },
      ...[...pacers].sort().map((name) => ({ kind: "pacer", name })),
    ]);
    expect(JSON.parse((await run("list", address, "throttle", "--json")).stdout)).toEqual([
      { kind: "throttle", name: "payments" },
    ]);
  });
});

test("dt list as a program ends without a word when its reader has had enough", async () => {
  const path = join(scratchFolder(), "ledger.db");
  await using store = sqliteStore({ path });
  const permit = { count: 1, cost: 1, everyMs: 60_000, burst: 1, maxReserved: 1, keepMs: 60_000, queueMs: 0 };
  // More than a pipe holds.
  for (let i = 0; i < 400; i++) await store.reserve(`${i}`.padEnd(500, "x"), { id: "r", ...permit });
  const { code, stdout, stderr } = await dtInShell('"$@" | head -n 1', "list", `sqlite:${path}`);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^pacer {5}"0x+"\n$/);
  expect(code).toBe(0);
});

describe("dt inspect", () => {
  test("shows which members a throttle has and what they hold", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using throttle = createThrottle({ name: "payments", max: 10, shares: "even", memberId: "api-1", store });
    await throttle.start();
    const { code, stdout } = await run("inspect", `sqlite:${path}`, "throttle", "payments");
    expect(stdout).toContain('Throttle "payments": 10 of 10 tokens per 1000 ms are held by 1 member. All agree.');
    // On a busy machine it has reported its use by then, which is shown as well.
    expect(stdout).toMatch(/"api-1" +10 +(?:0 +0 +)?10 +\d+\.\d s/);
    expect(code).toBe(0);
    const json = JSON.parse((await run("inspect", `sqlite:${path}`, "throttle", "payments", "--json")).stdout);
    expect(json).toMatchObject({ kind: "throttle", name: "payments", held: 10, members: [{ id: "api-1", held: 10 }] });
  });

  test("shows what the members of a throttle want whose shares follow demand", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using throttle = createThrottle({
      name: "payments",
      max: 10,
      shares: "demand",
      memberId: "api-1",
      store,
    });
    await throttle.start();
    const { stdout } = await run("inspect", `sqlite:${path}`, "throttle", "payments");
    expect(stdout).toMatch(/id +holds +wants +limit/);
    expect(stdout).not.toContain("agree");
  });

  test("shows what members used in the last epoch and how many tokens are waited for, where they say so", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    const [told, silent] = [newcomer({ id: "api-1" }), newcomer({ id: "before" })];
    const view = accepted(await store.register("payments", told));
    const report = { seq: 2, generation: view.generation, members: view.members, held: 10, max: 10, level: null };
    expect((await run("inspect", `sqlite:${path}`, "throttle", "payments")).stdout).toMatch(/id +holds +limit/);
    await store.sync("payments", told, { ...report, activity: { used: 7, waiting: 30 } });
    await store.register("payments", silent);
    const { stdout } = await run("inspect", `sqlite:${path}`, "throttle", "payments");
    expect(stdout).toMatch(/id +holds +used +waiting +limit/);
    expect(stdout).toMatch(/"api-1" +10 +7 +30 +10 /);
    expect(stdout).toMatch(/"before" +0 +- +- +10 /);
    const { members } = JSON.parse((await run("inspect", `sqlite:${path}`, "throttle", "payments", "--json")).stdout);
    expect(members).toMatchObject([{ id: "api-1", used: 7, waiting: 30 }, { id: "before" }]);
    expect(members[1]).not.toHaveProperty("used");
  });

  test("shows for how much longer a throttle or a semaphore is paused", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    for (const [kind, group] of [
      ["throttle", "api"],
      ["semaphore", semaphoreGroup("api")],
    ] as const) {
      const member = newcomer(kind === "semaphore" ? { intervalMs: 1 } : {});
      const { generation, members } = accepted(await store.register(group, member));
      expect((await run("inspect", `sqlite:${path}`, kind, "api")).stdout).not.toContain("paused");
      const report = { seq: 2, generation, members, held: 0, max: 10, level: null, pauseMs: 3_600_000 };
      await store.sync(group, member, report);
      const { stdout } = await run("inspect", `sqlite:${path}`, kind, "api");
      expect(stdout).toMatch(/It is paused for 3[56]\d\d\.\d{3} s from now\./);
    }
  });

  test("shows what a pacer has reserved, and in which terms", async () => {
    const address = await storeWith([], ["emails"]);
    const { code, stdout } = await run("inspect", address, "pacer", "emails");
    expect(stdout).toMatch(/^Pacer "emails": reserved for 3[56]\d\d\.\d{3} s from now\.\n1 reservation known/);
    expect(stdout).toContain("Its users agree on ");
    expect(code).toBe(0);
    const json = JSON.parse((await run("inspect", address, "pacer", "emails", "--json")).stdout);
    expect(json).toMatchObject({ kind: "pacer", name: "emails", known: 1, freed: 0, waiting: 0 });
  });

  test("shows what is left of a pacer's pause", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await store.reserve("emails", permitRequest({ maxReserved: 0, pauseMs: 3_600_000 }));
    const { stdout } = await run("inspect", `sqlite:${path}`, "pacer", "emails");
    expect(stdout).toMatch(/It is paused for 3[56]\d\d\.\d{3} s from now\./);
  });

  test("shows which members of a semaphore hold slots, and which wait for some", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    const [busy, idle] = [
      newcomer({ id: "api-1", max: 8, intervalMs: 1 }),
      newcomer({ id: "api-2", max: 8, intervalMs: 1 }),
    ];
    const group = semaphoreGroup("ocr");
    const view = accepted(await store.register(group, busy));
    const report = { seq: 2, generation: view.generation, members: view.members, held: 8, max: 8, level: null };
    const demand = { want: 20, syncMs: 1_000 };
    await store.sync(group, busy, { ...report, demand, activity: { used: 8, waiting: 12 } });
    await store.register(group, idle);
    const { code, stdout } = await run("inspect", `sqlite:${path}`, "semaphore", "ocr");
    expect(stdout).toContain('Semaphore "ocr": 8 of 8 slots are held by 2 members.');
    expect(stdout).toMatch(/id +holds +wants +in use +waiting +limit/);
    expect(stdout).toMatch(/"api-1" +8 +20 +8 +12 +8 /);
    expect(stdout).toMatch(/"api-2" +0 +- +- +- +8 /);
    expect(code).toBe(0);
    const json = JSON.parse((await run("inspect", `sqlite:${path}`, "semaphore", "ocr", "--json")).stdout);
    expect(json).toMatchObject({
      kind: "semaphore",
      name: "ocr",
      capacity: 8,
      held: 8,
      members: [{ id: "api-1", held: 8, used: 8, waiting: 12 }, { id: "api-2" }],
    });
    expect(json).not.toHaveProperty("group");
    // A limit that came down: what is held is more than what may be in use.
    await store.sync(group, busy, { ...report, seq: 3, max: 4, demand });
    expect((await run("inspect", `sqlite:${path}`, "semaphore", "ocr")).stdout).toContain(
      "8 of 4 slots are held by 2 members. More are held than may be in use: no call begins until enough have ended.",
    );
    expect((await run("inspect", `sqlite:${path}`, "throttle", "ocr")).stdout).toBe('There is no throttle "ocr".\n');
  });

  test("shows what a process that runs reports of its semaphore", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await using semaphore = createSemaphore({ name: "ocr", max: 4, memberId: "api", syncInterval: "50ms", store });
    using _slot = await semaphore.acquire(3);
    const waiting = semaphore.acquire(2).catch((error) => error.code);
    await expect
      .poll(async () => (await run("inspect", `sqlite:${path}`, "semaphore", "ocr")).stdout)
      .toMatch(/"api" +\d +\d +3 +2 +4 /);
    expect((await run("list", `sqlite:${path}`)).stdout).toBe('semaphore "ocr"\n');
    await semaphore.stop();
    expect(await waiting).toBe("DT_STOPPED");
  });

  test("shows what is spent of a budget, and how many leases are not settled", async () => {
    const address = await storeWith([], [], [], ["llm"]);
    const { code, stdout } = await run("inspect", address, "budget", "llm");
    expect(stdout).toMatch(/^Budget "llm": 1 lease not settled\.\n\n/);
    expect(stdout).toMatch(/limit +spent +of +kept free +window/);
    expect(stdout).toMatch(/"calls" +1 +10 +0 +60\.000 s/);
    expect(stdout).toMatch(/"tokens" +600\.25 +1000 +0 +60\.000 s/);
    expect(code).toBe(0);
    const json = JSON.parse((await run("inspect", address, "budget", "llm", "--json")).stdout);
    expect(json).toMatchObject({ kind: "budget", name: "llm", open: 1, limits: [{ name: "calls", spent: 1 }, {}] });
    expect(json).not.toHaveProperty("budget");
  });

  test("shows what the users of a budget agree on, and its pause", async () => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    for (const terms of [{ terms: "old" }, { terms: "new", formerTerms: "old" }])
      await store.spend("llm", spendRequest({}, { ...terms, pauseMs: 3_600_000 }));
    const { stdout } = await run("inspect", `sqlite:${path}`, "budget", "llm");
    expect(stdout).toMatch(/It is paused for 3[56]\d\d\.\d{3} s from now\./);
    expect(stdout).toContain('Its users agree on "new", in place of "old".');
  });

  test("says what is not there", async () => {
    const address = await storeWith(["payments"], []);
    expect((await run("inspect", address, "throttle", "paymnets")).stdout).toBe('There is no throttle "paymnets".\n');
    expect((await run("inspect", address, "throttle", "payments")).stdout).toBe(
      'Throttle "payments" has no members.\n',
    );
    expect((await run("inspect", address, "pacer", "k")).stdout).toBe('Nothing is reserved of the pacer "k".\n');
    const { code, stdout } = await run("inspect", address, "throttle", "paymnets", "--json");
    expect([code, stdout]).toEqual([0, "null\n"]);
    expect((await run("inspect", address, "pacer", "k", "--json")).stdout).toBe("null\n");
    expect((await run("inspect", address, "semaphore", "ocr")).stdout).toBe('There is no semaphore "ocr".\n');
    expect((await run("inspect", address, "semaphore", "ocr", "--json")).stdout).toBe("null\n");
    expect((await run("inspect", address, "budget", "b")).stdout).toBe('Nothing is spent of the budget "b".\n');
    expect((await run("inspect", address, "budget", "b", "--json")).stdout).toBe("null\n");
  });
});

test.each([
  [["inspect", "sqlite:x.db"], 2, "give the kind of the limiter and its name, as in: dt inspect"],
  [
    ["inspect", "sqlite:x.db", "payments"],
    2,
    '"payments" is no kind of limiter; give one of throttle, pacer, semaphore, budget',
  ],
  [["inspect", "sqlite:x.db", "pacer"], 2, "give the name of the pacer after its kind, as in: dt inspect"],
  [["list", "sqlite:x.db", "payments"], 2, '"payments" is no kind of limiter; give one of throttle, pacer, semaphore'],
  [
    ["inspect", "sqlite:/no/such/folder/x.db", "throttle", "g"],
    1,
    "sqlite:/no/such/folder/x.db: it could not be read: there is no file /no/such/folder/x.db",
  ],
  [["inspect", "redis://u:secret@127.0.0.1:1", "throttle", "g"], 1, "redis://127.0.0.1:1: it could not be read: "],
  [["list", "redis://u:secret@127.0.0.1:1"], 1, "redis://127.0.0.1:1: it could not be read: "],
  [["list", "mysql://localhost"], 2, "is of no known kind"],
])("%j ends with exit code %d and says why", async (args, expected, message) => {
  const { code, stdout, stderr } = await run(...args);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("secret");
  expect(stdout).toBe("");
  expect(code).toBe(expected);
});

test.each(["list", "inspect"])("%s of a file that is not there makes none", async (command) => {
  const path = join(scratchFolder(), "absent.db");
  const { code } = await run(command, `sqlite:${path}`, ...(command === "inspect" ? ["throttle", "g"] : []));
  expect(code).toBe(1);
  expect(existsSync(path)).toBe(false);
});

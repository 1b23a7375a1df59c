import { join } from "node:path";
import { createBudget } from "@dt/budget";
import { createPacer, createSemaphore, createThrottle } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { sqliteStore } from "@dt/sqlite";
import { describe, expect, test } from "vitest";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

function scratchStore() {
  const path = join(scratchFolder(), "limits.db");
  return { address: `sqlite:${path}`, store: sqliteStore({ path }) };
}

describe("dt limit", () => {
  test("sets the limit of a throttle that runs, shows it with who set it and why, and removes it", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using throttle = createThrottle({ name: "mail", rate: "10/s", syncInterval: "50ms", store, stored: true });
    await throttle.start();
    const set = await run("limit", "set", address, "throttle", "mail", "200/min", "--by", "ann", "--reason", "a storm");
    expect(set).toMatchObject({ code: 0, stdout: 'Throttle "mail": max 3, set in the store by ann.\n' });
    await expect.poll(() => store.inspect("mail").then(({ capacity }) => capacity)).toBe(3);
    const { stdout } = await run("limit", "get", address, "throttle", "mail");
    expect(stdout).toContain('Throttle "mail": max 3, set in the store by ann.');
    expect(stdout).toMatch(/ann +max 10 +max 3 +a storm/);
    const removed = await run("limit", "remove", address, "throttle", "mail", "--json");
    expect(JSON.parse(removed.stdout)).toMatchObject({ kind: "throttle", name: "mail", limit: null });
    await expect.poll(() => store.inspect("mail").then(({ capacity }) => capacity)).toBe(10);
  });

  test("--percent takes a part of what counts now, and --for ends it", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using semaphore = createSemaphore({ name: "ocr", max: 30, store, stored: true });
    await semaphore.start();
    const half = await run("limit", "set", address, "semaphore", "ocr", "--percent", "50", "--for", "2h", "--json");
    const { limit, record } = JSON.parse(half.stdout);
    expect(limit).toEqual({ max: 15 });
    expect(record.untilMs - record.storeTimeMs).toBeCloseTo(7_200_000, -2);
    expect(record.history[0]).toMatchObject({ from: { max: 30 }, to: { max: 15 } });
    const quarter = await run("limit", "set", address, "semaphore", "ocr", "--percent", "50%", "--json");
    expect(JSON.parse(quarter.stdout).limit).toEqual({ max: 7 });
  });

  test("a change is the whole limit: numbers that it does not name are the code's", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    const limits = { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } } as const;
    await using budget = createBudget({ name: "llm", limits, store, stored: true });
    await budget.acquire({ requests: 1, tokens: 1 });
    await run("limit", "set", address, "budget", "llm", "requests=100,tokens=50000");
    await budget.acquire({ requests: 1, tokens: 1 });
    expect(budget.status().limits).toMatchObject({ requests: { max: 100 }, tokens: { max: 50_000 } });
    await run("limit", "set", address, "budget", "llm", "tokens=90000");
    await budget.acquire({ requests: 1, tokens: 1 });
    expect(budget.status().limits).toMatchObject({ requests: { max: 600 }, tokens: { max: 90_000 } });
  });

  test("--percent of a pacer is of the code's value while the pacer is used", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using pacer = createPacer({ name: "partner", every: "1m", burst: 3, store, stored: true });
    await pacer.acquire();
    const { stdout } = await run("limit", "set", address, "pacer", "partner", "--percent", "50", "--json");
    expect(JSON.parse(stdout).limit).toEqual({ everyMs: 120_000, burst: 3 });
  });

  test("sets those of a pacer and of a budget", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using pacer = createPacer({ name: "calls", every: "100ms", store, stored: true });
    await pacer.acquire();
    expect((await run("limit", "set", address, "pacer", "calls", "2/s", "--burst", "3")).code).toBe(0);
    await pacer.acquire();
    expect(await store.inspectPermits?.("calls")).toMatchObject({ stored: { values: { everyMs: 500, burst: 3 } } });

    const limits = { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } } as const;
    await using budget = createBudget({ name: "llm", limits, store, stored: true });
    expect((await run("limit", "set", address, "budget", "llm", "tokens=30000")).code).toBe(0);
    (await budget.acquire({ requests: 1, tokens: 100 })).settle();
    const { limits: shown = [] } = (await store.inspectBudget?.("llm")) ?? {};
    expect(shown.map(({ max }) => max)).toEqual([600, 30_000]);
  });

  test("sets those of a keyed limit: of one key, or of all", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await using keyed = createKeyed({ name: "api", store, limit: { rate: "5/s" }, stored: true });
    expect(await keyed.check("tenant-18")).toMatchObject({ limit: { max: 5 } });
    const one = await run("limit", "set", address, "keyed", "api", "50/h", "--key", "tenant-17");
    expect(one.stdout).toContain('Keyed "api", key "tenant-17": max 50, windowMs 3600000, burst 50');
    expect(await keyed.check("tenant-17")).toMatchObject({ limit: { max: 50 } });
    expect((await run("limit", "set", address, "keyed", "api", "7/s")).code).toBe(0);
    await expect.poll(() => keyed.check("tenant-18")).toMatchObject({ limit: { max: 7 } });
    expect(await keyed.check("tenant-17")).toMatchObject({ limit: { max: 50 } });
    const looked = await run("status", address, "api", "--key", "tenant-17");
    expect(looked.stdout).toMatch(/^tenant-17 +50\/h +\d+(\.\d+)? +50 /m);
    expect((await run("repair", address, "keyed", "api", "tenant-17")).stdout).toContain("starts anew");
    expect((await run("status", address, "api", "--key", "tenant-17")).stderr).toContain("nothing is used of the key");
  });

  test("shows what was learned, and removes it", async () => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.setLimit({ kind: "learned", name: "search" }, { values: { rate: 7.5 }, by: "a fleet" });
    const { stdout } = await run("limit", "get", address, "learned", "search");
    expect(stdout).toContain('Learned "search": rate 7.5, set in the store by a fleet.');
    expect((await run("limit", "remove", address, "learned", "search")).code).toBe(0);
    expect((await run("limit", "get", address, "learned", "search")).stdout).toContain("the store keeps nothing of it");
  });

  test.each([
    [["limit", "set", "ADDRESS", "learned", "search", "5/s"], "is not set"],
    [["limit", "get", "ADDRESS", "learned", "search", "--key", "a"], "--key is for keyed limits"],
    [["limit", "set", "ADDRESS", "throttle", "mail"], "give either a limit, such as 200/s, or --percent"],
    [["limit", "set", "ADDRESS", "throttle", "mail", "2/s", "--percent", "50"], "give either a limit"],
    [["limit", "set", "ADDRESS", "semaphore", "ocr", "2/s"], "is no whole number"],
    [["limit", "set", "ADDRESS", "budget", "llm", "600"], "requests=600,tokens=60000"],
    [["limit", "set", "ADDRESS", "throttle", "mail", "--percent", "50"], "nothing is known of the throttle"],
    [["limit", "get", "ADDRESS", "throttle", "mail", "--key", "a"], "--key is for keyed limits"],
    [["limit", "set", "ADDRESS", "thottle", "mail", "2/s"], "is no kind of limiter"],
  ])("refuses %j", async (args, message) => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.list();
    const { code, stdout, stderr } = await run(...args.map((arg) => (arg === "ADDRESS" ? address : arg)));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test.each([
    ["keyed", ["5"], 'limit is "5"; give a count and a time'],
    ["keyed", ["1/365d"], "windowMs from 1 to 8640000000 (100 days)"],
    ["keyed", ["5/s", "--burst", "0"], "Give a whole number >= 1."],
    ["keyed", ["5/s", "--concurrent", "1001"], "concurrent, a whole number from 1 to 1000"],
    ["keyed", ["5/s", "--key", ""], 'the limit was not changed: target.key is ""; give a non-empty string'],
    ["keyed", ["5/s", "--for", "soon"], "error: option '--for <time>'"],
    ["keyed", ["5/s", "--by", ""], 'by is ""; give a text of 1 to 256 characters'],
    ["throttle", ["5"], 'the limit was not changed: limit is "5"; give a count'],
    ["pacer", ["fast"], 'limit is "fast"; give a count and a time'],
  ])("refuses to set %s %j, with exit code 2, and says why", async (kind, args, message) => {
    const { address, store: opened } = scratchStore();
    await using store = opened;
    await store.list();
    const { code, stdout, stderr } = await run("limit", "set", address, kind, "api", ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("shows no password of an address that it cannot use", async () => {
    const { code, stderr } = await run("limit", "get", "reddis://user:secret@127.0.0.1:1", "keyed", "api");
    expect(stderr).toContain("the store's address is of no known kind");
    expect(stderr).not.toContain("secret");
    expect(code).toBe(2);
  });
});

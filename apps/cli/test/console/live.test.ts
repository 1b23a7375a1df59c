import { join } from "node:path";
import { createBudget } from "@dt/budget";
import { createPacer, createSemaphore, createThrottle } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import { sqliteStore } from "@dt/sqlite";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Mark } from "../../src/console/protocol.ts";
import { scratchFolder } from "../support/scratch.ts";
import { askAsPage, Page, type TestConsole, testConsole } from "./support/page.ts";

const PASSWORD = "hunter2/%";
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis({ control: true, password: PASSWORD });
});

afterAll(async () => {
  await redis?.stop();
});

const addresses: Readonly<Record<string, () => string>> = {
  sqlite: () => `sqlite:${join(scratchFolder(), "limits.db")}`,
  redis: () => redis.url,
};

function opened(address: string) {
  return address.startsWith("sqlite:") ? sqliteStore({ path: address.slice(7) }) : redisStore({ url: address });
}

describe.each(Object.keys(addresses))("a fleet on %s", (kind) => {
  test("is shown live: its limiters, members that join and leave, and who waits", async () => {
    const address = (addresses[kind] as () => string)();
    await using store = opened(address);
    const member = { name: "mail", rate: "20/s", syncInterval: "100ms", store } as const;
    await using one = createThrottle({ ...member, label: "one" });
    await using semaphore = createSemaphore({ name: "ocr", max: 2, store });
    await using pacer = createPacer({ name: "partner", every: "100ms", store });
    await using budget = createBudget({ name: "llm", limits: { tokens: { rate: "600/min" } }, store });
    await using keyed = createKeyed({ name: "api", limit: { rate: "1/min", burst: 3 }, store });
    await one.start();
    await semaphore.start();
    await pacer.acquire();
    await budget.acquire({ tokens: 60 });
    for (let i = 0; i < 3; i++) await keyed.check("tenant 1");

    await using console = await testConsole(address);
    using page = await Page.open(console);
    expect(page.hello).toMatchObject({ protocol: 1, writes: false, version: "0.0.0", periodMs: 200, marks: [] });
    expect(page.hello?.store).not.toContain("hunter2");
    const limiters = await page.until("all limiters are there", () => {
      const { limiters } = page.last;
      return limiters.length >= 5 && limiters;
    });
    expect(limiters.map(({ kind, name }) => [kind, name])).toEqual([
      ["throttle", "mail"],
      ["pacer", "partner"],
      ["semaphore", "ocr"],
      ["budget", "llm"],
      ["keyed", "api"],
    ]);
    const [mail, , , llm, api] = limiters;
    expect(mail).toMatchObject({ limits: [{ name: "tokens", max: 20 }], members: { count: 1 }, stored: false });
    expect(llm?.limits).toMatchObject([{ name: "tokens", max: 600, used: 60 }]);
    expect(api?.keys).toMatchObject({ count: 1, limited: 1, busiest: [{ key: "tenant 1" }] });

    const two = createThrottle({ ...member, label: "two" });
    await two.start();
    await page.until("the second member is shown", () => mailOf(page)?.members?.shown.length === 2);
    await two.stop();
    await page.until("it has left", () => page.marks.some(({ what }) => what === "leave"));
    const what = page.marks.filter(({ text }) => text.startsWith("two-")).map((mark) => [mark.what, mark.text]);
    expect(what).toEqual([
      ["join", expect.stringMatching(/^two-\w+ joined$/)],
      ["leave", expect.stringMatching(/^two-\w+ left$/)],
    ]);

    const waiting = Array.from({ length: 60 }, () => one.acquire());
    await page.until("callers wait", () => (mailOf(page)?.waiting ?? 0) > 0);
    await page.until("the limit binds", () => mailOf(page)?.state === "limited");
    await Promise.all(waiting);

    const { status, json } = await askAsPage(console, "/api/limiter?kind=throttle&name=mail");
    expect({ status, json }).toMatchObject({ status: 200, json: { kind: "throttle", name: "mail", members: [{}] } });
    expect((await askAsPage(console, "/api/limiter?kind=throttle&name=none")).status).toBe(404);
  });

  test("has limits that change, after a preview of what follows", async () => {
    const address = (addresses[kind] as () => string)();
    await using store = opened(address);
    const member = { rate: "20/s", syncInterval: "100ms", store } as const;
    await using mail = createThrottle({ ...member, name: "sms", stored: true });
    await using other = createThrottle({ ...member, name: "fax" });
    await mail.start();
    await other.start();
    await using console = await testConsole(address, { writes: true });
    using page = await Page.open(console);
    const order = { kind: "throttle", name: "sms", limit: "300/min", reason: "a <storm>", for: "2h" };
    const before = await store.readLimit?.({ kind: "group", name: "sms" });
    const { json: preview } = await askAsPage(console, "/api/limit/preview", order);
    expect(preview).toEqual({
      from: { max: 20 },
      to: { max: 5 },
      follows: expect.arrayContaining([
        "1 member shares 5 tokens per 1 s in place of 20, by demand: no member wants more than 5, which each of them gets.",
        "After 2h the value in the code counts again.",
      ]),
      inVain: false,
    });
    expect(await store.readLimit?.({ kind: "group", name: "sms" })).toEqual(before);

    const { json: changed } = await askAsPage(console, "/api/limit", order);
    expect(changed["text"]).toMatch(/^Throttle "sms": max 5, set in the store by .+@.+ \(console\) until /);
    await expect.poll(() => mail.status().capacity).toBe(5);
    const mark = await page.until("the change is marked", () => page.marks.find(({ what }) => what === "limit"));
    expect(mark).toMatchObject({ kind: "throttle", name: "sms" });
    expect(mark.text).toMatch(/^the limit was set to max 5 \(was 20\) by .+ \(console\): a <storm>$/);
    await page.until("the limit in force is shown", () => {
      const sms = page.last.limiters.find(({ name }) => name === "sms");
      return sms?.stored && sms.limits[0]?.max === 5;
    });

    const removal = { kind: "throttle", name: "sms", limit: null };
    expect((await askAsPage(console, "/api/limit/preview", removal)).json).toMatchObject({ to: null, inVain: false });
    const removed = await askAsPage(console, "/api/limit", removal);
    expect(removed.json["text"]).toContain("the store has no limit; the value in the code counts");
    await expect.poll(() => mail.status().capacity).toBe(20);

    const vain = await askAsPage(console, "/api/limit/preview", { kind: "throttle", name: "fax", limit: "5/s" });
    expect(vain.json).toMatchObject({ inVain: true, follows: [expect.stringContaining("`stored: true`"), {}, {}] });
  });
});

test("a console without pages reads seldom, and shows the page that opens the time before", async () => {
  const address = `sqlite:${join(scratchFolder(), "limits.db")}`;
  await using store = opened(address);
  await using throttle = createThrottle({ name: "mail", rate: "20/s", store });
  await throttle.start();
  await using console = await testConsole(address);
  {
    using page = await Page.open(console);
    await page.until("ten frames have come", () => page.frames.length >= 10);
  }
  using page = await Page.open(console);
  const kept = page.hello?.frames ?? [];
  expect(kept.length).toBeGreaterThanOrEqual(10);
  expect(kept.map(({ atMs }) => atMs)).toEqual(kept.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
});

describe("a store that is away", () => {
  test("is reported within seconds, and so is its return; no secret of its address is shown", async () => {
    await using store = redisStore({ url: redis.url });
    await using throttle = createThrottle({ name: "away", rate: "20/s", store });
    await throttle.start();
    await using console = await testConsole(redis.url);
    using page = await Page.open(console);
    await page.until("frames come", () => page.frames.length > 2);
    await redis.pause();
    try {
      const pausedMs = Date.now();
      const failed = await page.until("a frame has an error", () =>
        page.frames.find(({ error }) => error !== undefined),
      );
      // Against hangs only: the machine may be slow. The patience is two seconds.
      expect(failed.atMs - pausedMs).toBeLessThan(10_000);
      expect(failed).toMatchObject({
        error: expect.stringMatching(/has not replied for \d+ s|was not answered within/),
        storeMs: null,
      });
      expect(failed.state).toBe("attention");
      expect(failed.limiters.map(({ name }) => name)).toContain("away");
      await page.until("further frames come", () => page.frames.filter(({ error }) => error).length > 3);
    } finally {
      await redis.resume();
    }
    await page.until("it is back", () => page.last.error === undefined);
    await redis.kill();
    await page.until("a frame says that it is down", () => page.last.error !== undefined);
    await redis.restart({ keepData: true });
    await page.until("it is back again", () => page.last.error === undefined);
    expect(JSON.stringify([page.hello, page.frames])).not.toMatch(/hunter2/);
  });

  test("does not keep the console from ending", async () => {
    const console: TestConsole = await testConsole(redis.url);
    using page = await Page.open(console);
    await page.until("frames come", () => page.frames.length > 0);
    await redis.pause();
    try {
      await page.until("a frame has an error", () => page.last.error !== undefined);
      await console[Symbol.asyncDispose]();
      await page.until("the stream has ended", () => page.ended);
    } finally {
      await redis.resume();
    }
  });
});

test("a member that is killed is silent, and then a crash", async () => {
  const script = new URL("support/member-process.ts", import.meta.url);
  const process = new SourceProcess(script, [redis.url]);
  try {
    await process.said("ready");
    // A member is removed only in time in which others of its group call the store.
    await using store = redisStore({ url: redis.url });
    await using throttle = createThrottle({ name: "killed", rate: "20/s", staleAfter: "6s", store });
    await throttle.start();
    await using console = await testConsole(redis.url);
    using page = await Page.open(console);
    await process.kill();
    await page.until("it is silent", () => page.marks.some(isVictim("silent")));
    await page.until("it is gone", () => page.marks.some(isVictim("crash")));
    expect(page.marks.filter(({ text }) => text.startsWith("victim-")).map(({ what }) => what)).toEqual([
      "silent",
      "crash",
    ]);
  } finally {
    await process.kill();
  }
});

const isVictim =
  (what: Mark["what"]) =>
  (mark: Mark): boolean =>
    mark.what === what && mark.text.startsWith("victim-");

function mailOf(page: Page) {
  return page.last.limiters.find(({ kind, name }) => kind === "throttle" && name === "mail");
}

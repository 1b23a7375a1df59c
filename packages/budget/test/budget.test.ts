import { DtError } from "@dt/core";
import { describe, expect, it } from "vitest";
import { type Budget, createBudget, type Lease } from "../src/index.ts";
import { fleet, type Two, watched } from "./support/budgets.ts";

/** A window of the budgets here, and some more. */
const WINDOW_MS = 60_250;

const restOf = (budget: Budget<Two>): number | undefined => budget.status().limits["tokens"]?.rest;

describe("acquire", () => {
  it("resolves to a lease of what is reserved, and the rest is for all processes", async () => {
    const { budget, create, pass } = fleet();
    const lease = await budget.acquire({ tokens: 4_000 });
    expect(lease).toMatchObject({ cost: { requests: 1, tokens: 4_000 }, limitedBy: undefined, waitedMs: 0 });
    const other = watched(create().acquire({ tokens: 3_000 }));
    await pass(30_000);
    expect(other.done).toBe(false);
    await pass(31_000);
    expect(other.value).toMatchObject({ limitedBy: "tokens" });
  });

  it("refuses at once what a limit never holds", async () => {
    const { budget } = fleet();
    await expect(budget.acquire({ tokens: 6_001 })).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      limitedBy: "tokens",
    });
  });

  it("rejects at once where the call could not begin in time, and reserves nothing", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 6_000 });
    const late = watched(budget.acquire({ tokens: 100 }, { timeout: "10s" }));
    await pass(0);
    expect(late.error).toMatchObject({ code: "DT_TIMEOUT", limitedBy: "tokens" });
    expect((late.error as DtError).retryAfterMs).toBeGreaterThan(50_000);
    expect((late.error as DtError).message).toMatch(/limited by tokens/);
    expect(restOf(budget)).toBe(0);
  });

  it("hands the reservation of a caller that gives up to the next", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 6_000 });
    const controller = new AbortController();
    const first = watched(budget.acquire({ tokens: 500 }, { signal: controller.signal }));
    await pass(1_000);
    const second = watched(budget.acquire({ tokens: 400 }));
    const third = watched(budget.acquire({ tokens: 5_000 }));
    await pass(1_000);
    controller.abort(new Error("no more"));
    await pass(0);
    expect(first.error).toEqual(new Error("no more"));
    await pass(WINDOW_MS);
    expect([second.done, third.done]).toEqual([true, true]);
    expect(budget.status()).toMatchObject({ waiting: 0, ahead: 0 });
  });

  it("has at most two reservations ahead, whatever waits", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 6_000 });
    for (let n = 0; n < 20; n++) void budget.acquire({ tokens: 100 }).catch(() => undefined);
    await pass(5_000);
    expect(budget.status()).toMatchObject({ waiting: 20, ahead: 2, limitedBy: "tokens" });
    await budget.stop();
  });

  it("reserves once more with what is settled, where two calls began at one instant", async () => {
    const { budget, pass } = fleet({ limits: { requests: { rate: "2/10s", burst: 2 } } as never });
    const leases: Lease<Two>[] = [];
    const calls = Array.from({ length: 6 }, () => budget.acquire().then((lease) => leases.push(lease)));
    await pass(1_000);
    expect([leases.length, budget.status().ahead]).toEqual([2, 2]);
    const before = budget.status().requests;
    // The next two begin together, when the first two leave the window. One of the last two reserves at once.
    while (leases.length < 4) await pass(10);
    expect(budget.status().requests - before).toBe(1);
    leases[0]?.settle();
    await pass(200);
    expect([budget.status().ahead, budget.status().requests - before]).toEqual([2, 2]);
    const stopped = budget.stop();
    await Promise.allSettled(calls);
    await stopped;
  });

  it("does not hold up a call that needs another limit only", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 6_000 });
    for (let n = 0; n < 5; n++) void budget.acquire({ tokens: 100 }).catch(() => undefined);
    await pass(1_000);
    const listing = watched(budget.acquire({ requests: 1 }));
    await pass(1_500);
    expect(listing.done).toBe(true);
    await budget.stop();
  });

  it("serves the highest priority first, and the keys of one priority in turns", async () => {
    const { budget, pass } = fleet({
      limits: { requests: { rate: "60/min", burst: 1 }, tokens: { rate: "6000/min" } },
    });
    await budget.acquire();
    const order: string[] = [];
    const ask = (name: string, options: object): void =>
      void budget.acquire({}, options).then(
        () => order.push(name),
        () => undefined,
      );
    for (const n of [1, 2, 3, 4, 5]) ask(`a${n}`, { key: "a" });
    ask("b1", { key: "b" });
    ask("high", { key: "a", priority: 3 });
    await pass(8_000);
    expect(order.indexOf("b1")).toBeLessThan(5);
    expect(order[0] === "high" || order[1] === "high" || order[2] === "high").toBe(true);
    expect(order).toHaveLength(7);
  });
});

describe("a machine that was suspended", () => {
  it("uses no instant that it held meanwhile", async () => {
    const { budget, pass, runtime } = fleet();
    await budget.acquire({ tokens: 6_000 });
    const waiting = watched(budget.acquire({ tokens: 100 }));
    await pass(30_000);
    runtime.suspend(3_600_000);
    await pass(32_000);
    expect(waiting.value).toMatchObject({ cost: { tokens: 100 } });
    expect(budget.status().requests).toBeGreaterThan(2);
  });
});

describe("tryAcquire", () => {
  it("takes what is free at this instant, and never while callers wait", async () => {
    const { budget, pass } = fleet();
    expect(await budget.tryAcquire({ tokens: 6_000 })).toBeDefined();
    expect(await budget.tryAcquire({ tokens: 1 })).toBeUndefined();
    expect(await budget.tryAcquire({ tokens: 0 })).toBeDefined();
    void budget.acquire({ tokens: 100 }).catch(() => undefined);
    void budget.acquire({ tokens: 100 }).catch(() => undefined);
    void budget.acquire({ tokens: 100 }).catch(() => undefined);
    await pass(100);
    expect(await budget.tryAcquire({ tokens: 0 })).toBeUndefined();
    await budget.stop();
  });
});

describe("a lease", () => {
  it("gives back what was not spent within 100 ms, and once", async () => {
    const { budget, pass } = fleet();
    const lease = await budget.acquire({ tokens: 5_000 });
    lease.settle({ tokens: 1_000 });
    lease.settle({ tokens: 0 });
    await pass(100);
    expect(budget.status()).toMatchObject({ open: 0, settled: 1, limits: { tokens: { rest: 5_000 } } });
  });

  it("pays what was spent beyond", async () => {
    const { budget, pass } = fleet();
    (await budget.acquire({ tokens: 1_000 })).settle({ tokens: 7_000 });
    await pass(100);
    expect(restOf(budget)).toBe(-1_000);
  });

  it("is settled as reserved at the end of its block", async () => {
    const { budget, pass } = fleet();
    {
      using lease = await budget.acquire({ tokens: 1_000 });
      expect(lease.open).toBe(true);
    }
    await pass(100);
    expect(budget.status()).toMatchObject({ settled: 1, estimated: 1, limits: { tokens: { rest: 5_000 } } });
  });

  it("that is cancelled costs nothing", async () => {
    const { budget, pass } = fleet();
    (await budget.acquire({ tokens: 1_000 })).cancel();
    await pass(100);
    expect(budget.status()).toMatchObject({ limits: { requests: { rest: 60 }, tokens: { rest: 6_000 } } });
  });

  it("stays open when its usage makes no sense", async () => {
    const { budget } = fleet();
    const lease = await budget.acquire({ tokens: 1_000 });
    expect(() => lease.settle({ tokens: -1 })).toThrow(/usage.tokens is -1/);
    expect(lease.open).toBe(true);
  });

  it("that no call settles stays spent, and is reported", async () => {
    const { budget, pass } = fleet({ settleWithin: "30s" });
    const events: unknown[] = [];
    budget.on("unsettled", (event) => events.push(event));
    await budget.acquire({ tokens: 1_000 });
    await pass(30_000);
    expect(events).toEqual([{ leases: 1 }]);
    expect(budget.status()).toMatchObject({ open: 0, unsettled: 1 });
    await budget.tryAcquire();
    expect(restOf(budget)).toBe(5_000);
  });

  it("is settled by its id where its process is gone", async () => {
    const { budget, create, pass } = fleet();
    const { id } = await budget.acquire({ tokens: 5_000 });
    const other = create();
    other.settle(id, { tokens: 100 });
    other.settle(id, { tokens: 0 });
    await pass(100);
    await other.tryAcquire({ requests: 0 });
    expect(other.status().limits).toMatchObject({ requests: { rest: 59 }, tokens: { rest: 5_900 } });
    expect(() => other.settle(id, {} as never)).toThrow(/usage.tokens is undefined/);
  });
});

describe("run and wrap", () => {
  it("settle what a call reports, and hand it the lease", async () => {
    const { budget, pass } = fleet();
    const run = (lease: Lease<Two>) => ({
      id: lease.id,
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    });
    const answer = await budget.run(run, { cost: { tokens: 1_000 } });
    expect(answer.id).toMatch(/^[0-9a-z]{20}$/);
    await pass(100);
    expect(budget.status()).toMatchObject({ settled: 1, estimated: 0, limits: { tokens: { rest: 5_850 } } });
  });

  it("keep a lease until the stream has ended, and take the last usage of its items", async () => {
    const { budget, pass } = fleet();
    async function* answers() {
      yield { usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } };
      yield { usage: { prompt_tokens: 10, completion_tokens: 90, total_tokens: 100 } };
    }
    const ask = budget.wrap((_prompt: string) => answers(), {
      cost: (prompt) => ({ tokens: { input: prompt.length, output: { most: 500 } } }),
    });
    const stream = await ask("question");
    await pass(1_000);
    expect(budget.status()).toMatchObject({ open: 1, limits: { tokens: { rest: 5_492 } } });
    for await (const _ of stream) expect(budget.status().open).toBe(1);
    await pass(100);
    expect(budget.status()).toMatchObject({ open: 0, settled: 1, limits: { tokens: { rest: 5_900 } } });
  });

  it("settle as reserved where a call fails or reports nothing", async () => {
    const { budget, pass } = fleet();
    await expect(budget.run(() => Promise.reject(new Error("500")), { cost: { tokens: 100 } })).rejects.toThrow("500");
    await budget.run(() => "no usage", { cost: { tokens: 100 } });
    await pass(100);
    expect(budget.status()).toMatchObject({ settled: 2, estimated: 2, limits: { tokens: { rest: 5_800 } } });
  });

  it("ignore and count a usage that makes no sense", async () => {
    const { budget, pass } = fleet();
    const settle = (usage: unknown) => ({ tokens: usage as number });
    await budget.run(() => Number.NaN, { cost: { tokens: 100 }, settle });
    await budget.run(() => -5, { cost: { tokens: 100 }, settle });
    await budget.run(() => 7, { cost: { tokens: 100 }, settle });
    await pass(100);
    expect(budget.status()).toMatchObject({
      ignored: 2,
      settled: 3,
      estimated: 2,
      limits: { tokens: { rest: 5_793 } },
    });
  });

  it("skip or refuse a call that would have to wait", async () => {
    const { budget } = fleet();
    await budget.acquire({ tokens: 6_000 });
    const call = () => "called";
    expect(await budget.run(call, { cost: { tokens: 1 }, whenLimited: "skip" })).toBeUndefined();
    await expect(budget.run(call, { cost: { tokens: 1 }, whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      limitedBy: "tokens",
    });
  });

  it("learn sizes that are not known", async () => {
    const { budget, pass } = fleet();
    const usage = { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 };
    for (let n = 0; n < 3; n++) await budget.run(() => ({ usage }), { cost: { tokens: { input: 10 } }, model: "m" });
    await pass(100);
    expect((await budget.acquire({ tokens: { input: 10 } }, { model: "m" })).cost.tokens).toBe(50);
  });
});

describe("a pause", () => {
  it("stops every process, and gives up what is held ahead", async () => {
    const { budgets, pass } = fleet({}, 2);
    const [here, there] = budgets as [(typeof budgets)[0], (typeof budgets)[0]];
    await here.acquire({ tokens: 5_900 });
    const waiting = watched(there.acquire({ tokens: 300 }));
    await pass(50_000);
    here.pauseUntil("30s");
    await pass(0);
    expect(here.status().pausedForMs).toBe(30_000);
    const mine = watched(here.acquire({ tokens: 1 }));
    const theirs = watched(there.acquire({ tokens: 0 }));
    await pass(29_000);
    expect([mine.done, theirs.done, waiting.done]).toEqual([false, false, false]);
    expect(there.status()).toMatchObject({ limitedBy: "pause" });
    await pass(2_000);
    expect([mine.done, theirs.done]).toEqual([true, true]);
    await pass(20_000);
    expect(waiting.done).toBe(true);
  });
});

describe("learn", () => {
  it("lowers what is left to what the callee states, never more", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 1_000 });
    budget.learn({ remaining: { tokens: 2_000, requests: undefined } });
    await pass(100);
    expect(budget.status().limits).toMatchObject({ requests: { rest: 59 }, tokens: { rest: 2_000 } });
    budget.learn({ remaining: { tokens: 4_000 } });
    await pass(100);
    expect(restOf(budget)).toBe(2_000);
  });

  it("reads headers, and pauses for a Retry-After", async () => {
    const { budget, pass } = fleet();
    const headers = { "x-ratelimit-remaining-tokens": "500", "x-ratelimit-reset-tokens": "6m0s", "retry-after": "7" };
    budget.learn(new Response(null, { status: 429, headers }));
    await pass(100);
    expect(budget.status()).toMatchObject({ limits: { tokens: { rest: 500 } } });
    expect(budget.status().pausedForMs).toBeGreaterThan(6_000);
  });

  it("knows a limit of another name by its unit and its window, and reads a body", async () => {
    const { budget, pass } = fleet();
    const headers = { "x-ratelimit-limit-tokens-minute": "6000", "x-ratelimit-remaining-tokens-minute": "700" };
    budget.learn(new Headers(headers));
    await pass(100);
    expect(restOf(budget)).toBe(700);
    const error = {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }],
    };
    budget.learn(new Response(null, { status: 429 }), { body: { error } });
    expect(budget.status().pausedForMs).toBe(34_400);
  });

  it.each([
    [{ remaining: { tokens: 1e15 } }],
    [{ remaining: { tokens: Number.NaN } }],
    [{ remaining: { tokens: -1 } }],
    [{ retryAfterMs: Number.POSITIVE_INFINITY }],
  ])("ignores and counts %j", async (stated) => {
    const { budget, pass } = fleet();
    expect(budget.learn(stated)).toBe(1);
    await pass(100);
    await budget.tryAcquire();
    expect(budget.status()).toMatchObject({ ignored: 1, pausedForMs: 0, limits: { tokens: { rest: 6_000 } } });
  });
});

describe("enforce: false", () => {
  it("lets every call go on, and counts those that would have waited", async () => {
    const { budget } = fleet({ enforce: false });
    const events: unknown[] = [];
    budget.on("wouldWait", ({ limitedBy }) => events.push(limitedBy));
    await budget.acquire({ tokens: 6_000 });
    await budget.acquire({ tokens: 3_000 }, { timeout: 0 });
    expect(budget.status()).toMatchObject({
      calls: { granted: 2, waited: 0 },
      wouldWait: 1,
      limits: { tokens: { rest: -3_000 } },
    });
    expect(events).toEqual(["tokens"]);
  });

  it("lets calls go on whose cost is more than a limit ever holds, whose store is away, and that find no slot", async () => {
    const { budget, store, pass } = fleet({ enforce: false, concurrent: 1 });
    const events: unknown[] = [];
    budget.on("wouldWait", ({ limitedBy }) => events.push(limitedBy));
    expect(await budget.acquire({ tokens: 7_000 })).toMatchObject({ cost: { tokens: 6_000 }, limitedBy: undefined });
    await pass(15_000);
    const [first, second] = [await budget.acquire(), await budget.tryAcquire()];
    expect([first.limitedBy, second?.limitedBy, budget.status().inUse]).toEqual([undefined, "concurrent", 1]);
    expect(events).toEqual(["concurrent"]);
    store.spend = () => Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "away"));
    const uncounted = await budget.acquire({ tokens: 100 }, { timeout: 0 });
    uncounted.settle();
    expect(budget.status()).toMatchObject({
      calls: { granted: 4 },
      wouldWait: 2,
      lastError: { code: "DT_STORE_UNAVAILABLE" },
    });
    await budget.stop();
  });

  it("refuses limits that others do not agree on, and a caller that gives up", async () => {
    const { budget, create, pass } = fleet({ enforce: false });
    await budget.acquire();
    const other = create({ limits: { requests: { rate: "1/min" }, tokens: { rate: "6000/min" } } });
    await expect(other.acquire()).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    const controller = new AbortController();
    const leaving = watched(budget.acquire({ tokens: 100 }, { signal: controller.signal }));
    controller.abort(new Error("no more"));
    await pass(200);
    expect(leaving.error).toEqual(new Error("no more"));
    expect(restOf(budget)).toBe(6_000);
    await Promise.all([budget.stop(), other.stop()]);
  });
});

describe("a holdback", () => {
  it("stops low priorities before the others", async () => {
    const { budget, pass } = fleet({ holdback: [{ below: 0, keep: 0.2 }] });
    await budget.acquire({ tokens: 4_800 }, { priority: -1 });
    const low = watched(budget.acquire({ tokens: 1 }, { priority: -1 }));
    await pass(1_000);
    const normal = watched(budget.acquire({ tokens: 1_100 }));
    await pass(0);
    expect([low.done, normal.done]).toEqual([false, true]);
    await expect(budget.acquire({ tokens: 4_801 }, { priority: -1 })).rejects.toThrow(/never holds more than 4800/);
    await budget.stop();
  });
});

describe("another budget of the name", () => {
  it("with other limits is refused, and says how to roll them out", async () => {
    const { budget, create } = fleet();
    await budget.acquire({ tokens: 1 });
    const limits = {
      requests: { rate: "60/min" as const, burst: 60 },
      tokens: { rate: "9000/min" as const, burst: 9_000 },
    };
    await expect(create({ limits }).acquire()).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    const next = create({ limits, replaces: budget.terms });
    expect(await next.acquire({ tokens: 1 })).toBeDefined();
    expect(await budget.acquire({ tokens: 1 })).toBeDefined();
  });
});

describe("the end of a budget", () => {
  it("in order serves those that wait, and lets streams end", async () => {
    const { budget, pass } = fleet();
    await budget.acquire({ tokens: 6_000 });
    const waiting = watched(budget.acquire({ tokens: 10 }));
    await pass(100);
    const drained = watched(budget.drain({ timeout: "2m" }));
    await expect(budget.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
    await pass(30_000);
    expect(drained.done).toBe(false);
    await pass(WINDOW_MS);
    expect([waiting.done, drained.value]).toEqual([true, true]);
  });

  it("at once refuses those that wait, gives their reservations back, and settles", async () => {
    const { budget, create, pass } = fleet();
    const lease = await budget.acquire({ tokens: 6_000 });
    const waiting = watched(budget.acquire({ tokens: 3_000 }));
    await pass(100);
    lease.settle({ tokens: 1_000 });
    await budget.stop();
    await pass(0);
    expect(waiting.error).toMatchObject({ code: "DT_STOPPED" });
    const other = create();
    await other.tryAcquire({ requests: 0 });
    expect(restOf(other)).toBe(5_000);
  });
});

describe("a store that is away", () => {
  it("fails the callers, and settlements are sent once it is back", async () => {
    const { store, create, pass, runtime } = fleet();
    let away = false;
    const flaky = Object.assign(Object.create(store), {
      spend: (...given: Parameters<typeof store.spend>) =>
        away
          ? Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "down", { effect: "unknown" }))
          : store.spend(...given),
    });
    const budget = create({ store: flaky, runtime });
    const lease = await budget.acquire({ tokens: 5_000 });
    away = true;
    await expect(budget.acquire({ tokens: 1 })).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    lease.settle({ tokens: 1_000 });
    await pass(20_000);
    expect(budget.status().lastError?.message).toBe("down");
    away = false;
    await pass(6_000);
    expect(budget.status()).toMatchObject({
      lastError: undefined,
      limits: { requests: { rest: 59 }, tokens: { rest: 5_000 } },
    });
  });

  it("that answers nonsense is refused", async () => {
    const { store, create } = fleet();
    const wrong = Object.assign(Object.create(store), { spend: async () => ({ granted: true, atMs: Number.NaN }) });
    await expect(create({ store: wrong }).acquire()).rejects.toMatchObject({ code: "DT_STORE_REPLY" });
  });
});

describe("options", () => {
  const { store } = fleet();
  it.each([
    [{ limits: {} }, /limits/],
    [{ limits: { tokens: { rate: "fast" } } }, /limits.tokens.rate/],
    [{ limits: { tokens: { rate: "10/s", burst: 11 } } }, /limits.tokens.burst is 11/],
    [{ limits: { tokens: { rate: "10/s", bursts: 1 } } }, /bursts/],
    [{ limits: { tokens: { rate: "10/s", weights: { output: -1 } } } }, /weights.output is -1/],
    [{ limits: { concurrent: { rate: "10/s" } } }, /concurrent/],
    [{ holdback: [{ below: -9, keep: 0.1 }] }, /holdback.below is -9/],
    [{ holdback: [{ below: 0, keep: 1 }] }, /holdback.keep is 1/],
    [
      {
        holdback: [
          { below: 0, keep: 0.3 },
          { below: -3, keep: 0.1 },
        ],
      },
      /holdback.keep is 0.1/,
    ],
    [{ lateness: "1m" }, /lateness/],
    [{ maxAhead: 0 }, /maxAhead is 0/],
    [{ store: {} }, /store/],
    [{ concurrent: 0 }, /concurrent is 0/],
    [{ extra: 1 }, /extra/],
  ])("%j are refused", (options, message) => {
    expect(() =>
      createBudget({ name: "x", store, limits: { tokens: { rate: "10/s" } }, ...(options as object) }),
    ).toThrow(message);
  });

  it("concurrent needs a store with semaphores", () => {
    const without = Object.assign(Object.create(store), { capabilities: { ...store.capabilities, slots: false } });
    expect(() => createBudget({ name: "x", store: without, limits: { a: { rate: 1 } }, concurrent: 5 })).toThrow(
      /semaphores/,
    );
  });
});

import type { Runtime } from "@dt/core";
import { settle } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import type { Keyed, KeyLimit } from "../src/index.ts";
import { connected, fleet, watched } from "./support/fleet.ts";

describe("check", () => {
  it("takes what is there, and then says when to ask again", async () => {
    const { limits } = fleet();
    for (let n = 0; n < 10; n++) expect(await limits.check("a")).toMatchObject({ allowed: true, remaining: 9 - n });
    expect(await limits.check("a")).toMatchObject({
      ...{ allowed: false, remaining: 0, limitedBy: "rate", retryAfterMs: 200, resetMs: 2_000 },
      limit: { max: 5, windowMs: 1_000, burst: 10 },
    });
    expect(await limits.check("b")).toMatchObject({ allowed: true });
    await limits.stop();
  });

  it("is answered anew once units are back", async () => {
    const { limits, pass } = fleet();
    await limits.check("a", 10);
    expect(await limits.check("a", 2)).toMatchObject({ allowed: false, retryAfterMs: 400 });
    await pass(399);
    expect((await limits.check("a", 2)).allowed).toBe(false);
    await pass(1);
    expect((await limits.check("a", 2)).allowed).toBe(true);
  });

  it("shares a key with the other processes of its name, and with no other name", async () => {
    const { keyed, create } = fleet({}, 2);
    for (const limits of keyed) expect((await limits.check("a", 5)).allowed).toBe(true);
    for (const limits of keyed) expect((await limits.check("a")).allowed).toBe(false);
    expect((await create({ name: "other" }).check("a", 10)).allowed).toBe(true);
  });

  it("refuses costs that its key never has, and names that are none", async () => {
    const { limits } = fleet();
    for (const cost of [0, 1.5, 11, Number.NaN, "1" as never])
      await expect(limits.check("a", cost)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await expect(limits.check("")).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(() => limits.for("\0")).toThrow(/key is/);
    expect(limits.status().requests).toBe(0);
  });

  it("takes a limit of its own for each key", async () => {
    const { limits } = fleet({ limit: (key) => ({ rate: key === "gold" ? "50/s" : "5/s" }) });
    expect(await limits.check("gold", 50)).toMatchObject({ allowed: true, limit: { burst: 50 } });
    expect(await limits.check("tin", 5)).toMatchObject({ allowed: true, limit: { burst: 5 } });
  });
});

describe("requests", () => {
  it("of keys that ask in one turn travel together, also those of two limits of one store", async () => {
    const { store, create } = fleet();
    const one = connected(store);
    const [a, b] = [create({ store: one }), create({ store: one, name: "other" })];
    await Promise.all([...Array(50).keys()].flatMap((n) => [a.check(`key ${n}`), b.check(`key ${n}`)]));
    expect(a.status()).toMatchObject({ decisions: 50, requests: 50, roundTrips: 1 });
    expect(b.status().roundTrips).toBe(1);
  });

  it("are not made for a refusal that is known", async () => {
    const { limits, pass } = fleet();
    await limits.check("a", 10);
    await limits.check("a");
    const { requests } = limits.status();
    for (let n = 0; n < 100; n++) expect((await limits.check("a")).allowed).toBe(false);
    // One more looks for units that are due later, since the key is hot.
    expect(limits.status()).toMatchObject({ requests: requests + 1, local: 100 });
    await pass(200);
    expect((await limits.check("a")).allowed).toBe(true);
  });
});

describe("a refusal that is remembered", () => {
  it("reports when the cost is there, and not until when it is remembered", async () => {
    const { limits, pass } = fleet({ limit: { rate: "2/min" } });
    await limits.check("a", 2);
    expect((await limits.check("a")).retryAfterMs).toBe(30_000);
    await pass(500);
    expect((await limits.check("a")).retryAfterMs).toBe(29_500);
    expect((await limits.check("a", 2)).retryAfterMs).toBe(59_500);
  });
});

describe("peek and reset", () => {
  it("look without taking, and forget what was taken", async () => {
    const { limits } = fleet();
    await limits.check("a", 4);
    expect(await limits.peek("a")).toMatchObject({ remaining: 6, resetMs: 800, inFlight: 0 });
    await limits.reset("a");
    expect(await limits.peek("a")).toMatchObject({ remaining: 10, resetMs: 0 });
  });
});

describe("acquire", () => {
  it("waits for its turn, the highest priority first", async () => {
    const { limits, pass } = fleet();
    await limits.check("a", 10);
    const order: string[] = [];
    const wait = (name: string, priority: number) =>
      limits
        .for("a")
        .acquire(1, { priority })
        .then(() => order.push(name));
    const all = [wait("first", 0), wait("second", 0), wait("urgent", 5)];
    await pass(200);
    expect(order).toEqual(["urgent"]);
    await pass(400);
    await Promise.all(all);
    expect(order).toEqual(["urgent", "first", "second"]);
    expect(limits.status().waiting).toBe(0);
  });

  it("refuses at once a call that would come too late, and those of too many", async () => {
    const { limits } = fleet({ maxWaiters: 1 });
    await limits.check("a", 10);
    await expect(limits.for("a").acquire(5, { timeout: 500 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    const waiting = watched(limits.for("a").acquire());
    await expect(limits.for("a").acquire()).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
    expect(await limits.for("a").tryAcquire()).toBeUndefined();
    await limits.stop();
    expect(waiting.error).toMatchObject({ code: "DT_STOPPED" });
  });

  it("of one limiter ends with it, and those of others go on", async () => {
    const { limits, pass } = fleet();
    await limits.check("a", 10);
    const [one, other] = [limits.for("a"), limits.for("a")];
    const [ended, served] = [watched(one.acquire()), watched(other.acquire())];
    await pass(0);
    await one.stop();
    await pass(400);
    expect(ended.error).toMatchObject({ code: "DT_STOPPED" });
    expect(served.value).toBeDefined();
    await expect(one.check()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });
});

describe("concurrent", () => {
  const limit = { rate: "100/s", concurrent: 2 } as const;

  it("has so many calls in flight over the fleet", async () => {
    const { keyed, pass } = fleet({ limit }, 2);
    const [one, two] = keyed.map((limits) => limits.for("a"));
    const slot = (await one?.check())?.slot;
    await two?.acquire();
    expect(await one?.check()).toMatchObject({ allowed: false, limitedBy: "concurrent", slot: undefined });
    const waiting = watched(two?.acquire() as Promise<unknown>);
    await pass(300);
    expect(waiting.done).toBe(false);
    slot?.release();
    await pass(300);
    expect(waiting.done).toBe(true);
  });

  it("keeps slots for as long as their calls run, and frees those of a process that is gone", async () => {
    const { keyed, create, pass } = fleet({ limit }, 2);
    const [one, two] = keyed.map((limits) => limits.for("a"));
    const slot = await one?.acquire();
    await two?.tryAcquire();
    await pass(60_000);
    expect(slot?.lost).toBe(false);
    expect((await create().check("a")).allowed).toBe(false);
    await keyed[1]?.stop();
    expect((await create().check("a")).allowed).toBe(true);
  });
});

describe("a parent", () => {
  it("is taken with the key, which gets its units back where the parent refuses", async () => {
    const { limits: totals, create, pass } = fleet({ name: "totals", limit: { rate: "1/s", burst: 3 } });
    const limits = create({ name: "api", limit: { rate: "1/s", burst: 5 }, parent: () => totals.for("all") });
    for (let n = 0; n < 3; n++) expect((await limits.check("a")).allowed).toBe(true);
    expect(await limits.check("a")).toMatchObject({ allowed: false, limitedBy: "parent", retryAfterMs: 1_000 });
    await pass(20);
    expect((await limits.peek("a")).remaining).toBe(2);
    const waiting = watched(limits.for("a").acquire());
    await pass(1_500);
    expect(waiting.value).toBeDefined();
  });

  it.each<[string, KeyLimit]>([
    ["rates", { rate: "100/s", burst: 100 }],
    ["calls in flight", { rate: "100/s", burst: 100, concurrent: 50 }],
  ])("that makes callers wait longer than units may be kept is obeyed all the same, over %s", async (_, limit) => {
    const { runtime, limits: totals, create, pass } = fleet({ name: "totals", limit: { rate: "12/min", burst: 1 } });
    const limits = create({ name: "api", limit, parent: totals.for("all") });
    const sinceMs = runtime.now();
    const wentAt: number[] = [];
    for (const key of ["a", "a", "b", "b", "b"])
      void limits.for(key).run(() => wentAt.push(Math.round((runtime.now() - sinceMs) / 1_000)));
    for (let second = 0; second < 25; second++) await pass(1_000);
    expect(wentAt).toEqual([0, 5, 10, 15, 20]);
  });
});

describe("callers that wait", () => {
  const served = async (limits: Keyed, { runtime, pass }: ReturnType<typeof fleet>): Promise<readonly number[]> => {
    const sinceMs = runtime.now();
    const wentAt: number[] = [];
    for (let n = 0; n < 5; n++)
      void limits.for("a").run(() => wentAt.push(Math.round((runtime.now() - sinceMs) / 100) / 10));
    for (let tenth = 0; tenth < 300; tenth++) await pass(100);
    return wentAt;
  };

  it.each<[KeyLimit, number]>([
    [{ rate: "1/s", burst: 1 }, 1],
    [{ rate: "12/min", burst: 1 }, 5],
    [{ rate: "1/s", burst: 3 }, 1],
    [{ rate: "1/s", burst: 1, concurrent: 1 }, 1],
  ])("are served at the whole rate, whatever the burst: %o", async (limit, everyS) => {
    const world = fleet({ limit });
    const { burst } = limit as { readonly burst: number };
    const expected = Array.from({ length: 5 }, (_, n) => Math.max(0, n + 1 - burst) * everyS);
    expect(await served(world.limits, world)).toEqual(expected);
  });

  it("are served at the whole rate under a parent, too", async () => {
    const world = fleet({ name: "totals", limit: { rate: "100/s", burst: 100 } });
    const limits = world.create({ name: "api", limit: { rate: "1/s", burst: 1 }, parent: world.limits.for("all") });
    expect(await served(limits, world)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("a limit that is not enforced", () => {
  it("counts what it would have refused", async () => {
    const { limits } = fleet({ enforce: false });
    for (let n = 0; n < 12; n++) expect((await limits.check("a")).allowed).toBe(true);
    await limits.for("a").acquire();
    expect(limits.status()).toMatchObject({ wouldRefuse: 3, calls: { granted: 13, refused: 0 } });
  });
});

it("a caller whose time is up when its request is sent is refused for that, and nobody else is", async () => {
  const { runtime, limits, create } = fleet();
  let lateMs = 0;
  const late: Runtime = {
    now: () => {
      lateMs += 0.01;
      return runtime.now() + lateMs;
    },
    random: () => runtime.random(),
    setTimer: (callback, delayMs) => runtime.setTimer(callback, delayMs),
  };
  await limits.check("a", 10);
  const slow = create({ runtime: late });
  const [short, other] = [watched(slow.for("a").acquire(1, { timeout: 0 })), watched(slow.check("b"))];
  await settle();
  await runtime.advance(0);
  expect(short.error).toMatchObject({ code: "DT_TIMEOUT" });
  expect(other.value).toMatchObject({ allowed: true });
});

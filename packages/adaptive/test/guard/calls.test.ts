import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createAdaptiveThrottle, createConcurrencyLimit, createGuard, fixed, type Passage } from "../../src/index.ts";
import { overload, startedThrottle, success, world } from "./world.ts";

describe("a wrapped call", () => {
  it("answers as the function does, and what it answers is classified: Retry-After pauses everybody", async () => {
    const { runtime, guard } = world();
    const answers = [new Response("ok"), new Response("no", { status: 429, headers: { "Retry-After": "2" } })];
    const get = guard.wrap(async () => answers.shift());
    expect((await get())?.status).toBe(200);
    expect((await get())?.status).toBe(429);
    expect(guard.status().pausedForMs).toBe(2_000);
    await expect(guard.run(async () => 1, { timeout: 5 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      message: 'the guard "guard" let no call through within 5 ms: it is paused for another 2000 ms',
      retryAfterMs: 2_000,
    });
    await runtime.advance(2_000);
    await expect(guard.run(() => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
    expect(guard.status()).toMatchObject({ inflight: 0, waiting: 0 });
  });

  it("that is given up between the moment it was let through and the call itself is not made", async () => {
    const { guard } = world();
    const controller = new AbortController();
    const calls: string[] = [];
    const given = guard.run(() => calls.push("made"), { signal: controller.signal }).catch((reason: unknown) => reason);
    controller.abort("enough");
    expect([await given, calls]).toEqual(["enough", []]);
    expect(guard.status()).toMatchObject({ waiting: 0, inflight: 0 });
  });

  it("keeps this and its name, and is counted by a rule of one's own; one that throws counts as ignored", async () => {
    const rejection = createAdaptiveThrottle();
    const guard = createGuard({ rejection });
    const object = {
      factor: 3,
      times: guard.wrap(
        async function times(this: { factor: number }, n: number) {
          return this.factor * n;
        },
        { classify: () => "failure" },
      ),
    };
    expect([await object.times(2), object.times.name]).toEqual([6, "times"]);
    const odd = (): never => {
      throw new Error("rule");
    };
    await expect(guard.run(() => 1, { classify: odd })).rejects.toThrow("rule");
    expect(rejection.status()).toMatchObject({ requests: 1, failures: 1, inflight: 0 });
  });
});

describe("a call that does not wait", () => {
  const full = () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
    return { runtime, limit, guard: createGuard({ name: "api", limit, runtime }) };
  };

  it("gets a passage while a slot is free and no pause is on, and otherwise none", async () => {
    const { guard, runtime } = full();
    const passage = await guard.tryAcquire();
    expect(passage?.open).toBe(true);
    expect(await guard.tryAcquire()).toBeUndefined();
    passage?.settle(overload(1_000));
    expect(await guard.tryAcquire()).toBeUndefined();
    await runtime.advance(1_000);
    expect(await guard.tryAcquire()).toBeDefined();
    expect(guard.status()).toMatchObject({ waiting: 0, inflight: 1, calls: { granted: 2 } });
  });

  it("rejects with DT_LIMITED, and resolves to undefined only with skip: it is not made", async () => {
    const { guard, runtime } = full();
    const held = await guard.acquire();
    let made = 0;
    const call = (): number => ++made;
    await expect(guard.run(call, { whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      message: /the guard "api" lets no call through now: no slot of the concurrency limit "limit"/,
    });
    expect(await guard.run(call, { whenLimited: "skip" })).toBeUndefined();
    const ends = [
      guard.run(call, { timeout: "1s" }).catch((error) => error.code),
      guard.wrap(call, { timeout: "1s", whenLimited: "skip" })(),
    ];
    await runtime.advance(1_000);
    expect(await Promise.all(ends)).toEqual(["DT_TIMEOUT", undefined]);
    held.settle(success);
    guard.pause("5s");
    await expect(guard.run(call, { whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      retryAfterMs: 5_000,
    });
    expect(made).toBe(0);
  });

  it("that a rejection refuses is DT_LIMITED for a caller that waits, and skipped where it may be", async () => {
    const runtime = new VirtualRuntime();
    const rejection = createAdaptiveThrottle({ minRequests: 1, probeRate: 0, runtime: { ...fixedChance(runtime) } });
    rejection.tryAcquire()?.overload();
    const guard = createGuard({ rejection, runtime });
    await expect(guard.acquire()).rejects.toMatchObject({ code: "DT_LIMITED", message: /Throttled by Client/ });
    expect(await guard.tryAcquire()).toBeUndefined();
    for (const timeout of [undefined, "1s"] as const)
      expect(await guard.run(() => 1, { whenLimited: "skip", timeout })).toBeUndefined();
  });

  it("gives back its slot, and the tokens that are too few", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime, { max: 4 });
    const limit = createConcurrencyLimit({ algorithm: fixed(9), runtime });
    const guard = createGuard({ throttle, limit, runtime });
    const first = await guard.tryAcquire(3);
    expect(await guard.tryAcquire(3)).toBeUndefined();
    expect(limit.inflight).toBe(3);
    const second = await guard.tryAcquire();
    expect([first?.cost, second?.cost, limit.inflight]).toEqual([3, 1, 4]);
    await throttle.stop();
  });
});

/** Chance that always says no. */
function fixedChance(runtime: VirtualRuntime) {
  return {
    now: () => runtime.now(),
    random: () => 0,
    setTimer: runtime.setTimer.bind(runtime),
  };
}

describe("run", () => {
  it("hands the passage over: the one with which the call is made", async () => {
    const { runtime, guard } = world();
    const seen = guard.run((passage) => [passage, passage.open, passage.cost], { cost: 2 });
    guard.pause(10);
    await runtime.advance(10);
    const [passage, open, cost] = (await seen) as [Passage, boolean, number];
    expect([open, cost, passage.open]).toEqual([true, 2, false]);
    expect(guard.status()).toMatchObject({ calls: { granted: 1 }, inflight: 0 });
  });

  it("serves a call that a pause calls back between its passage and the call, also while the guard drains", async () => {
    const { runtime, guard } = world();
    const calls: string[] = [];
    const get = guard.wrap(async (name: string) => calls.push(name));
    const first = get("a");
    guard.pause("1s");
    const drained = guard.drain({ timeout: "5s" });
    await runtime.advance(1_000);
    await first;
    expect([await drained, calls]).toEqual([true, ["a"]]);
  });

  it("serves the highest priority first at the end of a pause", async () => {
    const { runtime, guard, log, come } = world();
    guard.pause("1s");
    come("batch", { priority: -5 });
    come("usual");
    come("urgent", { priority: 5 });
    await runtime.advance(1_000);
    expect(log).toEqual(["urgent in 1000", "usual in 1000", "batch in 1000"]);
  });

  it("takes options as functions of the arguments", async () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(10), runtime });
    const guard = createGuard({ limit, runtime });
    const send = guard.wrap(async (to: string[]) => [to.length, limit.inflight], { cost: (to) => to.length });
    expect(await send(["a", "b", "c"])).toEqual([3, 3]);
    await expect(send([])).rejects.toMatchObject({ code: "DT_INVALID_COST" });
  });
});

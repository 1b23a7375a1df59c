import { describe, expect, it } from "vitest";
import { createThrottle, type Grant, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime();

async function started(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
  const store = new MemoryStore({ runtime });
  const throttle = createThrottle({ name: "g", max: 10, store, runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

/** How many of the tokens asked for are there now, as a list of settled results. */
function record(results: Promise<number | undefined>[]): (number | string)[] {
  const seen: (number | string)[] = [];
  results.forEach((result, index) => {
    result.then(
      (granted) => seen.push(`${index}:${granted}`),
      (error: { code?: string }) => seen.push(`${index}:${error.code ?? error}`),
    );
  });
  return seen;
}

describe("acquireUpTo", () => {
  it("is served at once while tokens are there, and says how many", async () => {
    await using throttle = await started();
    expect(await throttle.acquireUpTo(4)).toBe(4);
    expect(await throttle.acquireUpTo(40)).toBe(6);
  });

  it("waits for the next epoch, and serves those who wait in order, partially if need be", async () => {
    await using throttle = await started();
    throttle.tryAcquireUpTo(10);
    const seen = record([throttle.acquireUpTo(7), throttle.acquireUpTo(7), throttle.acquireUpTo(7)]);
    await runtime.advance(999);
    expect(seen).toEqual([]);
    await runtime.advance(1);
    expect(seen).toEqual(["0:7", "1:3"]);
    await runtime.advance(1_000);
    expect(seen).toEqual(["0:7", "1:3", "2:7"]);
  });

  it("lets nobody overtake those who wait", async () => {
    await using throttle = await started();
    throttle.tryAcquireUpTo(10);
    const seen = record([throttle.acquireUpTo(10)]);
    await runtime.advance(999);
    runtime.jump(1);
    // The new epoch has begun, the timer of the waiter has not fired yet.
    expect(throttle.tryAcquireUpTo(1)).toBe(0);
    await runtime.advance(0);
    expect(seen).toEqual(["0:10"]);
  });

  it("rejects when its own timeout passes, with when and why", async () => {
    await using throttle = await started();
    throttle.tryAcquireUpTo(10);
    const atOnce = await throttle.acquireUpTo(1, { timeout: 0 }).catch((error: unknown) => error);
    expect(atOnce).toMatchObject({
      code: "DT_TIMEOUT",
      retryAfterMs: 1_000,
      message: expect.stringMatching(
        /^a token of the throttle "g" was not granted at once, as timeout 0 .*: the 10 tokens/,
      ),
    });
    const seen = record([throttle.acquireUpTo(1, { timeout: "200ms" })]);
    await runtime.advance(199);
    expect(seen).toEqual([]);
    await runtime.advance(1);
    expect(seen).toEqual(["0:DT_TIMEOUT"]);
  });

  it("rejects after the acquireTimeout that was set, so that silence is not mistaken for a grant", async () => {
    await using throttle = await started({ acquireTimeout: 300 });
    throttle.tryAcquireUpTo(10);
    const seen = record([throttle.acquireUpTo(1)]);
    await runtime.advance(300);
    expect(seen).toEqual(["0:DT_TIMEOUT"]);
  });

  it("waits for as long as it takes where no time was set, and keeps the process running meanwhile", async () => {
    await using throttle = await started({ max: 1, interval: "1s" });
    const seen = record(Array.from({ length: 200 }, () => throttle.acquireUpTo(1)));
    await runtime.advance(200_000);
    expect(seen).toHaveLength(200);
    expect(seen.filter((answer) => !`${answer}`.endsWith(":1"))).toEqual([]);
  });

  it("rejects with the signal's reason, and its token goes to the next", async () => {
    await using throttle = await started({ max: 1 });
    throttle.tryAcquireUpTo(1);
    const controller = new AbortController();
    const seen = record([throttle.acquireUpTo(1, { signal: controller.signal }), throttle.acquireUpTo(1)]);
    controller.abort("enough");
    await settle();
    expect(seen).toEqual(["0:enough"]);
    await runtime.advance(1_000);
    expect(seen).toEqual(["0:enough", "1:1"]);
    await expect(throttle.acquireUpTo(1, { signal: controller.signal })).rejects.toBe("enough");
  });

  it("loses no token when a listener asks for tokens in the middle of a grant", async () => {
    await using throttle = await started();
    throttle.tryAcquireUpTo(10);
    let served = 0;
    const count = (granted: number): void => {
      served += granted;
    };
    let asked = false;
    throttle.on("grant", () => {
      if (asked) return;
      asked = true;
      throttle.acquireUpTo(1).then(count);
    });
    for (let i = 0; i < 3; i++) throttle.acquireUpTo(1).then(count);
    await runtime.advance(1_000);
    expect(served).toBe(4);
    expect(throttle.status().used).toBe(4);
  });

  it("refuses a signal that is none, and leaves nothing behind", async () => {
    await using throttle = await started();
    throttle.tryAcquireUpTo(10);
    await expect(throttle.acquireUpTo(1, { signal: {} as AbortSignal })).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: "signal is an object; give an AbortSignal",
    });
    expect(throttle.status().waiting).toBe(0);
  });

  it("refuses more waiters than maxWaiters", async () => {
    await using throttle = await started({ maxWaiters: 2 });
    throttle.tryAcquireUpTo(10);
    const seen = record([throttle.acquireUpTo(1), throttle.acquireUpTo(1), throttle.acquireUpTo(1)]);
    await settle();
    expect(seen).toEqual(["2:DT_QUEUE_FULL"]);
    expect(throttle.status().waiting).toBe(2);
    await runtime.advance(1_000);
  });

  it("serves a waiter from tokens that another caller gives back", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10) as Grant;
    const seen = record([throttle.acquireUpTo(5)]);
    expect(grant.deposit(3)).toBe(3);
    await settle();
    expect(seen).toEqual(["0:3"]);
  });

  it("serves ten thousand concurrent callers exactly max an epoch", async () => {
    await using throttle = await started({ max: 1_000 });
    let served = 0;
    for (let i = 0; i < 10_000; i++) throttle.acquireUpTo(1).then(() => served++);
    await settle();
    for (let epoch = 1; epoch <= 10; epoch++) {
      expect(served).toBe(epoch * 1_000);
      await runtime.advance(1_000);
    }
  });
});

describe("release: even", () => {
  it("serves waiters one token at a time, evenly spaced", async () => {
    await using throttle = await started({ release: "even" });
    const begun = runtime.now();
    const instants: number[] = [];
    for (let i = 0; i < 20; i++) throttle.acquireUpTo(5).then(() => instants.push(runtime.now() - begun));
    await runtime.advance(1_999);
    expect(instants).toHaveLength(20);
    for (const [i, at] of instants.entries()) expect(at).toBeCloseTo(i * 100, 6);
  });
});

describe("stop", () => {
  it("refuses those who wait and grants nothing more", async () => {
    const throttle = await started();
    throttle.tryAcquireUpTo(10);
    const seen = record([throttle.acquireUpTo(1)]);
    await throttle.stop();
    expect(seen).toEqual(["0:DT_STOPPED"]);
    expect(() => throttle.tryAcquire()).toThrowError(expect.objectContaining({ code: "DT_STOPPED" }));
    await expect(throttle.acquireUpTo(1)).rejects.toMatchObject({ code: "DT_STOPPED" });
    await expect(throttle.start()).rejects.toMatchObject({ code: "DT_STOPPED" });
    await expect(throttle.stop()).resolves.toBeUndefined();
  });

  it("leaves no timer behind", async () => {
    const own = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 1, store: new MemoryStore({ runtime: own }), runtime: own });
    await throttle.start();
    await own.advance(1_000);
    throttle.tryAcquireUpTo(1);
    throttle.acquireUpTo(1).catch(() => undefined);
    await throttle.stop();
    expect(own.pendingTimers).toBe(0);
  });
});

describe("tokens asked for or deposited", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2", undefined, null, 1n, {}])("refuses %s", async (n) => {
    await using throttle = await started();
    const value = n === "2" ? '"2"' : n === 1n ? "1n" : typeof n === "object" && n !== null ? "an object" : String(n);
    const refusal = { code: "DT_INVALID_COST", message: expect.stringContaining(value) };
    const wrong = n as number;
    const grant = throttle.tryAcquireGrant(3) as Grant;
    const asking: (() => unknown)[] = [() => throttle.tryAcquireUpTo(wrong)];
    // One token is the default of the others.
    if (n !== undefined)
      asking.push(
        () => throttle.tryAcquire(wrong),
        () => throttle.tryAcquireGrant(wrong),
      );
    if (n !== 0) asking.push(() => grant.deposit(wrong));
    for (const ask of asking) expect(ask).toThrowError(expect.objectContaining(refusal));
    const waiting = [throttle.acquireUpTo(wrong)];
    if (n !== undefined) waiting.push(throttle.acquire(wrong) as never, throttle.acquireGrant(wrong) as never);
    for (const wait of waiting) await expect(wait).rejects.toMatchObject(refusal);
    expect(grant.deposit(0)).toBe(0);
  });
});

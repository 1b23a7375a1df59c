import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime();

async function started(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

/** What becomes of calls, by name, in order. */
function record(calls: Record<string, Promise<unknown>>): string[] {
  const seen: string[] = [];
  for (const [name, call] of Object.entries(calls))
    call.then(
      () => seen.push(name),
      (error: { code?: string }) => seen.push(`${name}: ${error.code ?? error}`),
    );
  return seen;
}

/** Waits with this signal, and gives up when it aborts. */
const givingUp = () => {
  const controller = new AbortController();
  return { signal: controller.signal, giveUp: () => controller.abort("given up") };
};

describe("acquire", () => {
  it("waits for all of its cost, over several epochs where the rest of an epoch is not enough", async () => {
    await using throttle = await started();
    expect(await throttle.acquire(4)).toBeUndefined();
    const seen = record({ ten: throttle.acquire(10) });
    await runtime.advance(999);
    expect([seen, throttle.status().used]).toEqual([[], 10]);
    await runtime.advance(1);
    // Six of the first epoch and four of the second.
    expect([seen, throttle.status().used]).toEqual([["ten"], 4]);
  });

  it("refuses more than max, and lets more than the share be collected", async () => {
    const store = new MemoryStore({ runtime });
    const [mine, other] = ["a", "b"].map((memberId) =>
      createThrottle({ name: "g", memberId, max: 10, store, runtime, shares: "even" }),
    ) as [Throttle, Throttle];
    await Promise.all([mine.start(), other.start()]);
    await runtime.advance(4_000);
    expect(mine.status().share).toBe(5);
    await expect(mine.acquire(11)).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      message: "11 tokens are more than max (10); ask for less, or raise max",
    });
    const seen = record({ eight: mine.acquire(8) });
    await runtime.advance(1_000);
    expect(seen).toEqual(["eight"]);
    await Promise.all([mine.stop(), other.stop()]);
  });

  it("is the only one that collects: those behind it get nothing before it has all", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(3);
    const seen = record({ four: throttle.acquire(4), one: throttle.acquire(), three: throttle.acquire(3) });
    await settle();
    expect([seen, throttle.tryAcquire()]).toEqual([[], false]);
    await runtime.advance(1_000);
    expect(seen).toEqual(["four", "one"]);
    await runtime.advance(1_000);
    expect(seen).toEqual(["four", "one", "three"]);
  });

  it("that does not wait says why, also where some of its tokens are there", async () => {
    await using throttle = await started();
    throttle.tryAcquire(7);
    await expect(throttle.acquire(5, { timeout: 0 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      message: expect.stringContaining("3 of 5 tokens are there, for another 1000 ms"),
      retryAfterMs: expect.closeTo(1_000, 3),
    });
  });

  it("of a higher priority goes first, but does not overtake one that has begun to collect", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(3);
    const seen = record({
      begun: throttle.acquire(2, { priority: -9 }),
      later: throttle.acquire(1),
      first: throttle.acquire(1, { priority: 9 }),
      second: throttle.acquire(1, { priority: 9 }),
      last: throttle.acquire(1, { priority: -1 }),
    });
    await runtime.advance(1_000);
    expect(seen).toEqual(["begun", "first", "second", "later"]);
    await runtime.advance(1_000);
    expect(seen.at(-1)).toBe("last");
  });

  it.each([10, -10, 1.5, "1", null])("refuses the priority %o", async (priority) => {
    await using throttle = await started();
    await expect(throttle.acquire(1, { priority: priority as number })).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining("give a whole number from -9 to 9"),
    });
  });
});

describe("what a caller had collected that gives up", () => {
  it("goes to the next in the queue, as if that one had collected it", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(1);
    const { signal, giveUp } = givingUp();
    // Three tokens are collected.
    const seen = record({
      four: throttle.acquire(4, { signal }),
      two: throttle.acquire(2),
      three: throttle.acquire(3),
      one: throttle.acquire(1),
    });
    giveUp();
    await settle();
    expect(seen).toEqual(["four: given up", "two"]);
    // The third token is kept for the one that is next: in the next epoch it needs two more.
    await runtime.advance(1_000);
    expect([seen.slice(2), throttle.status().used]).toEqual([["three", "one"], 3]);
  });

  it("does not go to callers that give up with it: calls of one request have one signal", async () => {
    const throttle = await started({ max: 4 });
    throttle.tryAcquire();
    const { signal, giveUp } = givingUp();
    // Three tokens are collected.
    const seen = record({
      four: throttle.acquire(4, { signal }),
      two: throttle.acquire(2, { signal }),
      joined: throttle.acquire(1, { signal: AbortSignal.any([signal]) }),
      one: throttle.acquire(1),
    });
    giveUp();
    await settle();
    expect(seen.toSorted()).toEqual(["four: given up", "joined: given up", "one", "two: given up"]);
    expect(throttle.status()).toMatchObject({ waiting: 0, used: 2, available: 2 });
    expect(await throttle.drain()).toBe(true);
  });

  it("goes on once, past callers that give up with it behind one that it serves", async () => {
    await using throttle = await started({ max: 7 });
    throttle.tryAcquire();
    const { signal, giveUp } = givingUp();
    // Six tokens are collected.
    const seen = record({
      seven: throttle.acquire(7, { signal }),
      one: throttle.acquire(1),
      four: throttle.acquire(4, { signal }),
      six: throttle.acquire(6),
      three: throttle.acquire(3),
    });
    giveUp();
    await settle();
    // Of the six one is spent, and five are kept for the one that needs six.
    expect(seen.toSorted()).toEqual(["four: given up", "one", "seven: given up"]);
    await runtime.advance(1_000);
    expect([seen.slice(3), throttle.status().used]).toEqual([["six", "three"], 4]);
  });

  it("serves a caller that is content with less", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(1);
    const { signal, giveUp } = givingUp();
    throttle.acquire(4, { signal }).catch(() => undefined);
    const [some, rest] = [throttle.acquireUpTo(2), throttle.acquireUpTo(2)];
    giveUp();
    expect(await Promise.all([some, rest])).toEqual([2, 1]);
  });

  it("goes back within its epoch where no other waits, and is granted again", async () => {
    await using throttle = await started({ max: 4 });
    const deposits: unknown[] = [];
    throttle.on("deposit", (deposit) => deposits.push(deposit));
    throttle.tryAcquireUpTo(1);
    const seen = record({ four: throttle.acquire(4, { timeout: "100ms" }) });
    await runtime.advance(100);
    expect(seen).toEqual(["four: DT_TIMEOUT"]);
    expect(deposits).toMatchObject([{ tokens: 3, regrantable: true }]);
    expect(throttle.tryAcquireUpTo(9)).toBe(3);
  });

  it("is lost as far as it is of earlier epochs", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(3);
    throttle.cap(2);
    const { signal, giveUp } = givingUp();
    // One token of this epoch and two of the next.
    const seen = record({ four: throttle.acquire(4, { signal }) });
    throttle.cap();
    await settle();
    throttle.cap(2);
    await runtime.advance(1_000);
    giveUp();
    await settle();
    throttle.cap();
    expect(seen).toEqual(["four: given up"]);
    expect([throttle.status().used, throttle.tryAcquireUpTo(9)]).toEqual([0, 4]);
  });

  it("is not handed on by one that had collected nothing", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(2);
    const { signal, giveUp } = givingUp();
    const seen = record({
      three: throttle.acquire(3),
      two: throttle.acquire(2, { signal }),
      one: throttle.acquire(1),
    });
    giveUp();
    await settle();
    expect(seen).toEqual(["two: given up"]);
    await runtime.advance(1_000);
    expect(seen.slice(1)).toEqual(["three", "one"]);
  });

  it("is not granted to anybody when the throttle stops", async () => {
    const throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(2);
    const seen = record({ three: throttle.acquire(3), two: throttle.acquire(2) });
    await throttle.stop();
    expect(seen).toEqual(["three: DT_STOPPED", "two: DT_STOPPED"]);
    expect(throttle.status().used).toBe(2);
  });
});

describe("a grant that was collected over epochs", () => {
  it("gives its last part back first, and only of that part anything is granted again", async () => {
    await using throttle = await started({ max: 4 });
    throttle.tryAcquireUpTo(3);
    const waiting = throttle.acquireGrant(4);
    await runtime.advance(1_000);
    const grant = await waiting;
    expect(grant).toMatchObject({ tokens: 4, epoch: throttle.status().epoch });
    expect(throttle.tryAcquireUpTo(9)).toBe(1);
    expect([grant.deposit(2), grant.deposit(9), grant.deposit(1)]).toEqual([2, 1, 0]);
    expect(throttle.tryAcquireUpTo(9)).toBe(3);
  });
});

describe("tryAcquire of several tokens", () => {
  it("grants all or nothing", async () => {
    await using throttle = await started();
    expect([throttle.tryAcquire(6), throttle.tryAcquire(5), throttle.tryAcquire(4)]).toEqual([true, false, true]);
    expect(throttle.status().used).toBe(10);
  });

  it("never collects: what can never be there at once stays refused, and the status says why", async () => {
    const store = new MemoryStore({ runtime });
    const [mine, other] = ["a", "b"].map((memberId) =>
      createThrottle({ name: "g", memberId, max: 10, store, runtime, shares: "even" }),
    ) as [Throttle, Throttle];
    await Promise.all([mine.start(), other.start()]);
    await runtime.advance(4_000);
    expect(mine.status().blockedBy).toBeUndefined();
    for (let i = 0; i < 3; i++) {
      expect(mine.tryAcquire(6)).toBe(false);
      expect(mine.status().blockedBy).toEqual({
        reason: "share",
        endsInMs: undefined,
        message:
          "6 tokens at once are more than the share of this member in this epoch, 5; acquire(6) collects them over several epochs",
        error: undefined,
      });
      await runtime.advance(1_000);
    }
    // Two epochs after the last such call nothing is blocked.
    await runtime.advance(1_000);
    mine.tryAcquire();
    await runtime.advance(1_000);
    mine.tryAcquire();
    expect(mine.status().blockedBy).toBeUndefined();
    await Promise.all([mine.stop(), other.stop()]);
  });

  it("is refused beyond the burst of an even release, and says that", async () => {
    await using throttle = await started({ release: "even", max: 100, burst: 3 });
    await runtime.advance(500);
    expect([throttle.tryAcquire(4), throttle.status().blockedBy?.message]).toEqual([
      false,
      "4 tokens at once are more than the burst of this member, 3; acquire(4) collects them over several epochs",
    ]);
    expect(throttle.tryAcquire(3)).toBe(true);
    // Three more are there 30 ms later.
    await expect(throttle.run(() => 1, { cost: 3, whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      retryAfterMs: 30,
    });
  });
});

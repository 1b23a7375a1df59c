import { describe, expect, it } from "vitest";
import { createThrottle, type Grant, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

function world(): {
  runtime: VirtualRuntime;
  store: MemoryStore;
  create(options?: Partial<ThrottleOptions>): Throttle;
} {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  return { runtime, store, create: (options) => createThrottle({ name: "g", max: 12, store, runtime, ...options }) };
}

describe("one member id", () => {
  it("used twice at once: the newest wins, the other says so and grants nothing more", async () => {
    const { runtime, create, store } = world();
    const first = create({ memberId: "worker-1" });
    const second = create({ memberId: "worker-1" });
    const fenced: string[] = [];
    first.on("fenced", ({ memberId }) => fenced.push(memberId));
    await first.start();
    await runtime.advance(2_000);
    const waiting = Promise.allSettled(Array.from({ length: 9 }, () => first.acquireUpTo(12)));
    await second.start();
    let most = 0;
    for (let i = 0; i < 40; i++) {
      await runtime.advance(100);
      most = Math.max(most, first.status().used + second.status().used);
      second.tryAcquireUpTo(100);
    }
    expect((await waiting).at(-1)).toMatchObject({
      reason: {
        code: "DT_MEMBER_FENCED",
        message: expect.stringMatching(/memberId "worker-1".*another process.*its own/),
      },
    });
    expect(fenced).toEqual(["worker-1"]);
    expect(first.status().state).toBe("fenced");
    expect(first.tryAcquireUpTo(1)).toBe(0);
    await expect(first.acquireUpTo(1)).rejects.toMatchObject({ code: "DT_MEMBER_FENCED" });
    expect(most).toBeLessThanOrEqual(12);
    await runtime.advance(1_000);
    expect(second.tryAcquireUpTo(100)).toBe(12);
    await first.stop();
    expect((await store.inspect("g")).members.map(({ id }) => id)).toEqual(["worker-1"]);
    await second.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("that returns within resumeWithin resumes its ramp; later, or with another id, it begins at min", async () => {
    const { runtime, create } = world();
    const options = { memberId: "a", min: 2, rampUp: "10s", resumeWithin: "30s" } as const;
    const before = create(options);
    await before.start();
    for (let i = 0; i < 8; i++) {
      await runtime.advance(1_000);
      before.tryAcquireUpTo(1);
    }
    const level = before.status().level;
    expect(level).toBe(9);
    await before.stop();
    await runtime.advance(29_000);
    const after = create(options);
    await after.start();
    expect(after.status().level).toBe(level);
    await after.stop();
    await runtime.advance(31_000);
    const late = create(options);
    await late.start();
    expect(late.status().level).toBe(2);
    await late.stop();
  });
});

describe("a group", () => {
  it("refuses a member with another interval", async () => {
    const { create } = world();
    const first = create();
    await first.start();
    await expect(create({ interval: "2s" }).start({ timeout: 0 })).rejects.toMatchObject({
      code: "DT_INTERVAL_MISMATCH",
      message: expect.stringMatching(/interval is 2000 ms, but the group runs with 1000 ms/),
    });
    await first.stop();
  });

  it("does not see another group, in one process and one store", async () => {
    const { runtime, create } = world();
    const [payments, mails] = [create({ name: "payments", max: 5 }), create({ name: "mails", max: 7 })];
    await Promise.all([payments.start(), mails.start()]);
    await runtime.advance(1_000);
    expect([payments.tryAcquireUpTo(99), mails.tryAcquireUpTo(99)]).toEqual([5, 7]);
    await Promise.all([payments.stop(), mails.stop()]);
  });

  it("runs at the smallest max that a live member declares: lowered at once, raised when everybody has it", async () => {
    const { runtime, create } = world();
    const [a, b] = [create({ memberId: "a", shares: "even" }), create({ memberId: "b", shares: "even" })];
    await a.start();
    await b.start();
    const perEpoch = async (): Promise<number> => {
      await runtime.advance(1_000);
      return a.tryAcquireUpTo(99) + b.tryAcquireUpTo(99);
    };
    await runtime.advance(4_000);
    expect(await perEpoch()).toBe(12);
    a.update({ max: 6 });
    await runtime.advance(3_000);
    expect(await perEpoch()).toBe(6);
    a.update({ max: 20 });
    await runtime.advance(3_000);
    expect(await perEpoch()).toBe(12);
    b.update({ max: 20 });
    await runtime.advance(3_000);
    expect(await perEpoch()).toBe(20);
    await Promise.all([a.stop(), b.stop()]);
    expect(() => a.update({ max: 0 })).toThrowError(/max is 0/);
  });
});

describe("update", () => {
  it("keeps the ramp that was configured: the level stays, and goes on to the new max", async () => {
    const { runtime, create } = world();
    const throttle = create({ min: 2, rampUp: "10s" });
    await throttle.start();
    await runtime.advance(1_000);
    throttle.tryAcquireUpTo(1);
    throttle.update({ max: 102 });
    expect(throttle.status().level).toBe(2);
    await runtime.advance(1_000);
    throttle.tryAcquireUpTo(1);
    expect(throttle.status().level).toBe(12);
    expect(() => throttle.update({ max: 1 })).toThrowError(/min is 2; give at most max \(1\)/);
    expect(() => throttle.update(undefined as never)).toThrowError(/update is undefined/);
    await throttle.stop();
  });
});

describe("events", () => {
  it("tell an operator what happens", async () => {
    const { runtime, create } = world();
    const throttle = create({ memberId: "a", shares: "even" });
    const seen: string[] = [];
    throttle.on("generation", ({ members, capacity }) => seen.push(`${members} members of ${capacity}`));
    throttle.on("agreement", ({ agreed }) => seen.push(agreed ? "agreed" : "disagreed"));
    throttle.on("share", ({ tokens }) => seen.push(`share ${tokens}`));
    throttle.on("deposit", ({ tokens, regrantable }) => seen.push(`deposit ${tokens}${regrantable ? " again" : ""}`));
    const off = throttle.on("grant", ({ tokens }) => seen.push(`grant ${tokens}`));
    await throttle.start();
    await runtime.advance(1_000);
    const grant = throttle.tryAcquireGrant(5) as Grant;
    grant.deposit(2);
    grant.deposit(1);
    off();
    throttle.tryAcquireUpTo(5);
    const other = create({ memberId: "b", shares: "even" });
    await other.start();
    await runtime.advance(4_000);
    throttle.tryAcquireUpTo(1);
    expect(seen).toEqual([
      "1 members of 12",
      "agreed",
      "share 12",
      "grant 5",
      "deposit 2 again",
      "deposit 1 again",
      "2 members of 12",
      "disagreed",
      "agreed",
      "share 6",
    ]);
    await Promise.all([throttle.stop(), other.stop()]);
  });

  it("a listener that throws disturbs nobody", async () => {
    const { runtime, create } = world();
    const throttle = create();
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown): void => void uncaught.push(error);
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", onUncaught);
    try {
      throttle.on("grant", () => {
        throw new Error("listener");
      });
      await throttle.start();
      await runtime.advance(1_000);
      expect(throttle.tryAcquireUpTo(3)).toBe(3);
      await settle();
    } finally {
      process.off("uncaughtException", onUncaught);
      for (const listener of listeners) process.on("uncaughtException", listener);
    }
    expect(uncaught).toEqual([new Error("listener")]);
    await throttle.stop();
  });
});

describe("status", () => {
  it("changes nothing and says what is", async () => {
    const { runtime, create } = world();
    const throttle = create({ memberId: "a", min: 2, rampUp: "10s", shares: "even" });
    expect(throttle.status()).toMatchObject({ state: "idle", epoch: undefined, level: 2, share: 0, available: 0 });
    await throttle.start();
    await runtime.advance(1_500);
    throttle.tryAcquireUpTo(1);
    const status = throttle.status();
    expect(throttle.status()).toEqual(status);
    expect(status).toMatchObject({
      state: "running",
      name: "g",
      memberId: "a",
      epoch: 1,
      max: 12,
      capacity: 12,
      level: 2,
      share: 2,
      used: 1,
      available: 1,
      waiting: 0,
      members: 1,
      agreed: true,
      held: 12,
      lastError: undefined,
    });
    await throttle.stop();
    expect(throttle.status()).toMatchObject({ state: "stopped", share: 0 });
  });
});

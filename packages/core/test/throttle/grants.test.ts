import { describe, expect, it } from "vitest";
import { createThrottle, type Grant, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime();

async function started(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

const second = (): number => Math.floor(runtime.now() / 1_000);

describe("a batch whose epoch ends while it waits for more items", () => {
  it("takes no tokens from the next epoch: in every second at most max tokens go to it and to the greedy caller beside it", async () => {
    await using throttle = await started();
    const calls = new Map<number, number>();
    const called = (at: number, times: number): void => void calls.set(at, (calls.get(at) ?? 0) + times);
    const greedy = (): void => called(second(), throttle.tryAcquire(10));
    // Every other second one item comes, 5 ms before the second ends; no other comes within the linger of 10 ms.
    async function* source(): AsyncGenerator<number> {
      for (let item = 0; item < 2; item++) {
        await new Promise<void>((resolve) => runtime.setTimer(resolve, item === 0 ? 1_995 : 2_000));
        yield second();
      }
    }
    const read = (async () => {
      for await (const batch of throttle.batches(source())) for (const at of batch) called(at, 1);
    })();
    await runtime.advance(100);
    greedy();
    for (let item = 0; item < 2; item++) {
      await runtime.advance(1_902);
      greedy();
      await runtime.advance(50);
      greedy();
      await runtime.advance(48);
    }
    await read;
    expect([...calls].sort(([a], [b]) => a - b).map(([, times]) => times)).toEqual([10, 1, 10, 1, 10]);
  });
});

describe("a grant", () => {
  it("names its tokens and their epoch, at once or after a wait", async () => {
    await using throttle = await started();
    const { epoch } = throttle.status();
    expect(throttle.tryAcquireGrant(4)).toMatchObject({ tokens: 4, epoch });
    expect(await throttle.acquireGrant(40)).toMatchObject({ tokens: 6, epoch });
    expect(throttle.tryAcquireGrant(1)).toMatchObject({ tokens: 0, epoch });
    expect(await throttle.acquireGrant(1, { timeout: 0 })).toBeUndefined();
    const waiting = throttle.acquireGrant(3);
    await runtime.advance(1_000);
    expect(await waiting).toMatchObject({ tokens: 3, epoch: (epoch as number) + 1 });
  });

  it("given back within its epoch can be granted again: all that is left of it, and not more than that", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10);
    expect([grant.deposit(4), grant.deposit(9), grant.deposit()]).toEqual([4, 6, 0]);
    expect(throttle.tryAcquire(20)).toBe(10);
  });

  it("given back after its epoch gives nobody a token more", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10);
    await runtime.advance(1_000);
    expect(throttle.tryAcquire(10)).toBe(10);
    expect(grant.deposit()).toBe(0);
    expect(throttle.tryAcquire(10)).toBe(0);
  });

  it("given back in the very instant in which the next epoch begins, before anybody looked, is too late", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10);
    runtime.jump(1_000);
    expect(grant.deposit()).toBe(0);
    expect(throttle.tryAcquire(20)).toBe(10);
  });

  it("is of the epoch in which its tokens were granted, even when a listener begins the next", async () => {
    await using throttle = await started();
    const { epoch } = throttle.status();
    throttle.on("grant", () => {
      runtime.jump(1_000);
      throttle.status();
    });
    const grants: Grant[] = [throttle.tryAcquireGrant(1), await throttle.acquireGrant(1)];
    expect(grants.map((grant) => grant.epoch)).toEqual([epoch, (epoch as number) + 1]);
    expect(grants.map((grant) => grant.deposit())).toEqual([0, 0]);
  });

  it("given back late still counts as unused for the mode, until the mode has judged its epoch", async () => {
    await using throttle = await started({ min: 2, rampUp: "8s", mode: "onlyIfUsed" });
    const levelAfter = async (deposit: (grant: Grant) => void): Promise<number> => {
      const grant = throttle.tryAcquireGrant(10);
      await runtime.advance(1_000);
      deposit(grant);
      return throttle.status().level;
    };
    expect(await levelAfter(() => {})).toBe(3);
    expect(await levelAfter((grant) => grant.deposit())).toBe(3);
    expect(
      await levelAfter((grant) => {
        throttle.tryAcquire(4);
        grant.deposit();
      }),
    ).toBe(4);
    await runtime.advance(1_000);
    expect(throttle.status().level, "all that was granted last was used").toBe(5);
  });
});

describe("a plain deposit", () => {
  it("counts as unused for the mode and is not granted again, since a number does not say when it was granted", async () => {
    await using throttle = await started({ min: 2, rampUp: "8s", mode: "onlyIfUsed" });
    expect(throttle.tryAcquire(2)).toBe(2);
    expect([throttle.deposit(1), throttle.deposit(9), throttle.deposit(1)]).toEqual([1, 1, 0]);
    expect(throttle.status()).toMatchObject({ used: 0, available: 0, level: 2 });
    expect(throttle.tryAcquire(1)).toBe(0);
    await runtime.advance(1_000);
    expect(throttle.status().level).toBe(2);
  });

  it("of tokens of an epoch that has ended takes none from the one that has begun", async () => {
    await using throttle = await started();
    throttle.tryAcquire(10);
    await runtime.advance(1_000);
    expect(throttle.deposit(10)).toBe(0);
    throttle.tryAcquire(10);
    throttle.deposit(10);
    expect(throttle.tryAcquire(10)).toBe(0);
  });
});

it("a deposit that is no number of tokens is refused by what it is", async () => {
  const runtime = new VirtualRuntime();
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
  await throttle.start();
  const grant = throttle.tryAcquireGrant(2);
  const message = "-1 tokens were deposited; give a whole number >= 0";
  expect(() => grant.deposit(-1)).toThrow(message);
  expect(() => throttle.deposit(-1)).toThrow(message);
  expect([grant.deposit(0), throttle.deposit(0)]).toEqual([0, 0]);
});

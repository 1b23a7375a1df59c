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
    const greedy = (): void => called(second(), throttle.tryAcquireUpTo(10));
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
    expect(throttle.tryAcquireGrant(7)).toBeUndefined();
    expect(await throttle.acquireGrant(6)).toMatchObject({ tokens: 6, epoch });
    expect(throttle.tryAcquireGrant(1)).toBeUndefined();
    await expect(throttle.acquireGrant(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    const waiting = throttle.acquireGrant(3);
    await runtime.advance(1_000);
    expect(await waiting).toMatchObject({ tokens: 3, epoch: (epoch as number) + 1 });
  });

  it("given back within its epoch can be granted again: all that is left of it, and not more than that", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10) as Grant;
    expect([grant.deposit(4), grant.deposit(9), grant.deposit(1)]).toEqual([4, 6, 0]);
    expect(throttle.tryAcquireUpTo(20)).toBe(10);
  });

  it("given back after its epoch gives nobody a token more", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10) as Grant;
    await runtime.advance(1_000);
    expect(throttle.tryAcquireUpTo(10)).toBe(10);
    expect(grant.deposit(10)).toBe(0);
    expect(throttle.tryAcquireUpTo(10)).toBe(0);
  });

  it("given back in the very instant in which the next epoch begins, before anybody looked, is too late", async () => {
    await using throttle = await started();
    const grant = throttle.tryAcquireGrant(10) as Grant;
    runtime.jump(1_000);
    expect(grant.deposit(10)).toBe(0);
    expect(throttle.tryAcquireUpTo(20)).toBe(10);
  });

  it("is of the epoch in which its tokens were granted, even when a listener begins the next", async () => {
    await using throttle = await started();
    const { epoch } = throttle.status();
    throttle.on("grant", () => {
      runtime.jump(1_000);
      throttle.status();
    });
    const grants = [throttle.tryAcquireGrant(1) as Grant, await throttle.acquireGrant(1)];
    expect(grants.map((grant) => grant.epoch)).toEqual([epoch, (epoch as number) + 1]);
    expect(grants.map((grant) => grant.deposit(1))).toEqual([0, 0]);
  });

  it("given back late still counts as unused for the mode, until the mode has judged its epoch", async () => {
    await using throttle = await started({ min: 2, rampUp: "8s", mode: "onlyIfUsed" });
    const levelAfter = async (deposit: (grant: Grant) => void): Promise<number> => {
      const grant = throttle.tryAcquireGrant(throttle.status().available) as Grant;
      await runtime.advance(1_000);
      deposit(grant);
      return throttle.status().level;
    };
    expect(await levelAfter(() => {})).toBe(3);
    expect(await levelAfter((grant) => grant.deposit(grant.tokens))).toBe(3);
    expect(
      await levelAfter((grant) => {
        throttle.tryAcquireUpTo(4);
        grant.deposit(grant.tokens);
      }),
    ).toBe(4);
    await runtime.advance(1_000);
    expect(throttle.status().level, "all that was granted last was used").toBe(5);
  });
});

it("a deposit that is no number of tokens is refused by what it is", async () => {
  const runtime = new VirtualRuntime();
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
  await throttle.start();
  const grant = throttle.tryAcquireGrant(2) as Grant;
  expect(() => grant.deposit(-1)).toThrow("-1 tokens were deposited; give a whole number >= 0");
  const untyped = grant.deposit as (n?: number) => number;
  expect(() => untyped()).toThrow("undefined tokens were deposited; give a whole number >= 0: grant.tokens for all");
  expect(grant.deposit(0)).toBe(0);
});

import { expect, it } from "vitest";
import { createThrottle, type Grant, MemoryStore, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

/** A world whose store can fail. */
function world(): {
  runtime: VirtualRuntime;
  store: FaultyStore;
  create(options?: Partial<ThrottleOptions>): ReturnType<typeof createThrottle>;
} {
  const runtime = new VirtualRuntime();
  const memory = new MemoryStore({ runtime });
  const store = new FaultyStore(memory);
  return { runtime, store, create: (options) => createThrottle({ name: "g", max: 12, store, runtime, ...options }) };
}

it("nothing is granted from the instant on at which the store's clock is known no better than clockError, in the middle of an epoch", async () => {
  const { runtime, create } = world();
  await runtime.advance(500);
  // Learned at 500 ms without an error, the clock may be off by 1 ms a second later: at 1,500 ms. The next sync is far
  // off.
  const throttle = create({ clockError: 1, syncInterval: "5s" });
  await throttle.start();
  await runtime.advance(600);
  expect(throttle.tryAcquireUpTo(1)).toBe(1);
  await runtime.advance(399);
  expect(throttle.tryAcquireUpTo(1)).toBe(1);
  await runtime.advance(2);
  expect([throttle.tryAcquireUpTo(1), throttle.status().share]).toEqual([0, 0]);
  expect(throttle.status().validForMs).toBe(0);
  await throttle.stop();
});

it("acquire waits for three intervals that are longer than a minute, and for as many as it takes", async () => {
  const { runtime, create } = world();
  const throttle = create({ interval: "1m" });
  await throttle.start();
  await runtime.advance(60_000);
  throttle.tryAcquireUpTo(12);
  const seen: string[] = [];
  const asked = (name: string): void =>
    void throttle.acquireUpTo(12).then(
      (granted) => seen.push(`${name}: ${granted}`),
      (error: { readonly code: string }) => seen.push(`${name}: ${error.code}`),
    );
  for (const name of ["first", "second", "third"]) asked(name);
  await runtime.advance(179_999);
  expect(seen).toEqual(["first: 12", "second: 12"]);
  await runtime.advance(1);
  expect(seen[2]).toBe("third: 12");
  await throttle.stop();
});

it("a member that was removed and comes back goes on at its own level, not at the one that the store remembers of it", async () => {
  const { runtime, store, create } = world();
  // Another member, on a connection that is never cut, so that the store's time goes on and the silent one is removed.
  const other = create({ memberId: "other" });
  const cut = new FaultyStore(store);
  const throttle = create({
    memberId: "a",
    store: cut,
    min: 2,
    rampUp: "60s",
    mode: "scheduled",
    resumeWithin: "1h",
  });
  await Promise.all([other.start(), throttle.start()]);
  await runtime.advance(3_000);
  throttle.tryAcquireUpTo(1);
  await runtime.advance(12_000);
  throttle.tryAcquireUpTo(1);
  await runtime.advance(1_000);
  expect(throttle.status().level).toBeCloseTo(2 + 13 / 6);
  cut.fault = "refuse";
  await runtime.advance(18_000);
  throttle.tryAcquireUpTo(1);
  expect(other.status().members, "removed by the store").toBe(1);
  cut.fault = "none";
  await runtime.advance(3_000);
  expect(other.status().members).toBe(2);
  throttle.tryAcquireUpTo(1);
  expect(throttle.status().level).toBeCloseTo(2 + 34 / 6);
  await Promise.all([other.stop(), throttle.stop()]);
});

it("scheduled ramps from the first request: before it the level is min, however long ago the start was", async () => {
  const { runtime, create } = world();
  const throttle = create({ min: 2, rampUp: "10s", mode: "scheduled" });
  await throttle.start();
  const levels: number[] = [];
  for (let i = 0; i < 5; i++) {
    await runtime.advance(1_000);
    levels.push(throttle.status().level);
  }
  levels.push(throttle.tryAcquireUpTo(12));
  for (let i = 0; i < 2; i++) {
    await runtime.advance(1_000);
    levels.push(throttle.status().level);
  }
  expect(levels).toEqual([2, 2, 2, 2, 2, 2, 3, 4]);
  await throttle.stop();
});

it("what was granted before the store's clock was known cannot be given back afterwards, whatever the numbers of the epochs", async () => {
  const { runtime, store, create } = world();
  store.fault = "refuse";
  const throttle = create({ interval: "10s", onStoreLost: { type: "floor", maxMembers: 3 } });
  await throttle.start();
  await runtime.advance(12_000);
  const grant = throttle.tryAcquireGrant(4) as Grant;
  expect(grant.tokens).toBe(4);
  store.fault = "none";
  await runtime.advance(3_000);
  // The same number by the store's clock, but another epoch for what is counted.
  expect(throttle.status()).toMatchObject({ epoch: grant.epoch, members: 1 });
  expect(grant.deposit(4)).toBe(0);
  expect(throttle.status().used).toBe(0);
  await throttle.stop();
});

it("what a suspension ended is told at once, in the middle of an epoch: nothing more is granted", async () => {
  const { runtime, store, create } = world();
  const throttle = create({ interval: "10s" });
  await throttle.start();
  await runtime.advance(10_000);
  expect(throttle.tryAcquireUpTo(2)).toBe(2);
  // The store is away too, so that no answer tells of anything; the next call to it notices that the machine slept.
  store.fault = "hang";
  runtime.suspend(60_000);
  await runtime.advance(1_000);
  expect(throttle.tryAcquireUpTo(1)).toBe(0);
  store.fault = "none";
  await throttle.stop();
});

it("a suspension is noticed before the next epoch begins, long before the next call to the store", async () => {
  const { runtime, create } = world();
  const throttle = create({ syncInterval: "5s" });
  await throttle.start();
  await runtime.advance(2_000);
  expect(throttle.tryAcquireUpTo(12)).toBe(12);
  runtime.suspend(60_000);
  runtime.jump(1_000);
  expect([throttle.tryAcquireUpTo(12), throttle.status().validForMs]).toEqual([0, 0]);
  // And the store is asked at once.
  await runtime.advance(50);
  expect(throttle.status().validForMs).toBeGreaterThan(6_000);
  await throttle.stop();
});

it("an answer that was given before a suspension, and comes after it, says nothing of now", async () => {
  const { runtime, store, create } = world();
  const sync = store.sync.bind(store);
  let answers = 0;
  store.sync = async (...args) => {
    const view = await sync(...args);
    answers += 1;
    await new Promise<void>((resolve) => runtime.setTimer(resolve, 100));
    return view;
  };
  const throttle = create();
  await throttle.start();
  while (answers === 0) await runtime.advance(10);
  runtime.suspend(60_000);
  store.fault = "hang";
  await runtime.advance(1_000);
  expect(throttle.tryAcquireUpTo(12)).toBe(0);
  store.fault = "none";
  await throttle.stop();
});

it("after a suspension nothing is granted before a round trip short enough to learn the store's clock anew", async () => {
  const { runtime, store, create } = world();
  const throttle = create({ clockError: 50 });
  await throttle.start();
  await runtime.advance(2_000);
  expect(throttle.tryAcquireUpTo(12)).toBe(12);
  const sync = store.sync.bind(store);
  store.sync = async (...args) => {
    const view = await sync(...args);
    await new Promise<void>((resolve) => runtime.setTimer(resolve, 100));
    return view;
  };
  runtime.suspend(60_000);
  await runtime.advance(5_000);
  expect([throttle.status().agreed, throttle.tryAcquireUpTo(12)]).toEqual([false, 0]);
  store.sync = sync;
  await runtime.advance(5_000);
  expect(throttle.tryAcquireUpTo(12)).toBe(12);
  await throttle.stop();
});

it("who waits when a suspension has ended the share is told within a call to the store, not at the end of the epoch", async () => {
  const { runtime, store, create } = world();
  const throttle = create({ interval: "30s" });
  await throttle.start();
  await runtime.advance(30_000);
  throttle.tryAcquireUpTo(12);
  const refused: unknown[] = [];
  throttle.acquireUpTo(1).catch((error: { readonly code: string }) => refused.push(error.code));
  store.fault = "hang";
  runtime.suspend(60_000);
  await runtime.advance(5_000);
  expect(refused).toEqual(["DT_STORE_TIMEOUT"]);
  store.fault = "none";
  await throttle.stop();
});

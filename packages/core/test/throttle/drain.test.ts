import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

const runtime = new VirtualRuntime();
const store = new MemoryStore({ runtime });

async function started(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 2, store, runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

/** What becomes of promises, in order. */
function watch(...promises: Promise<unknown>[]): string[] {
  const seen: string[] = [];
  promises.forEach((promise, index) => {
    promise.then(
      (value) => seen.push(`${index}: ${value}`),
      (error: { readonly code?: string }) => seen.push(`${index}: ${error.code}`),
    );
  });
  return seen;
}

const job = (ms: number): Promise<string> => new Promise((resolve) => runtime.setTimer(() => resolve("done"), ms));

it("drain serves who waits, lets wrapped calls finish, refuses who comes now, and leaves the group", async () => {
  const throttle = await started();
  const work = throttle.wrap(job);
  const seen = watch(work(100), work(100), work(100), work(2_500), throttle.acquireUpTo(2));
  const drained = throttle.drain({ timeout: "10s" });
  await settle();
  expect(throttle.status().state).toBe("draining");
  for (const ask of [() => throttle.tryAcquire(), () => throttle.tryAcquireUpTo(1), () => throttle.tryAcquireGrant(1)])
    expect(ask).toThrowError(expect.objectContaining({ code: "DT_STOPPED" }));
  await expect(throttle.acquireUpTo(1)).rejects.toMatchObject({
    code: "DT_STOPPED",
    message: 'the throttle "g" is being drained; create a new one',
  });
  await expect(work(1)).rejects.toMatchObject({ code: "DT_STOPPED" });
  await runtime.advance(2_100);
  expect(seen).toEqual(["0: done", "1: done", "2: done", "4: 2"]);
  // One wrapped call still runs; nobody is granted anything meanwhile, and the group still has this member.
  const isDraining = (): void => {
    expect(throttle.status()).toMatchObject({ state: "draining", available: 0 });
    expect(() => throttle.tryAcquire()).toThrowError(expect.objectContaining({ code: "DT_STOPPED" }));
  };
  isDraining();
  expect((await store.inspect("g")).members).toHaveLength(1);
  await runtime.advance(1_000);
  // In the next epoch, whose tokens no caller needs.
  isDraining();
  await runtime.advance(1_000);
  expect(await drained).toBe(true);
  expect(seen.at(-1)).toBe("3: done");
  expect((await store.inspect("g")).members).toHaveLength(0);
  expect(throttle.status().state).toBe("stopped");
  expect(runtime.pendingTimers).toBe(0);
});

it("drain ends at its deadline: who still waits is refused, and it says that not all were served", async () => {
  const throttle = await started();
  const seen = watch(...[1, 2, 3, 4, 5, 6].map(() => throttle.acquireUpTo(1)));
  const drained = throttle.drain({ timeout: 1_500 });
  await runtime.advance(1_500);
  expect(await drained).toBe(false);
  expect(seen).toEqual(["0: 1", "1: 1", "2: 1", "3: 1", "4: DT_STOPPED", "5: DT_STOPPED"]);
});

it("stop during a drain ends it at once", async () => {
  const throttle = await started();
  const seen = watch(throttle.acquireUpTo(2), throttle.acquireUpTo(2), throttle.drain());
  await settle();
  await throttle.stop();
  await settle();
  expect(seen).toEqual(["0: 2", "1: DT_STOPPED", "2: false"]);
  expect(runtime.pendingTimers).toBe(0);
});

it("drain of a throttle that was never started, is starting, or has stopped, just stops it, and says whether somebody waited", async () => {
  const idle = createThrottle({ name: "g", max: 2, store, runtime });
  expect(await idle.drain()).toBe(true);
  expect(await idle.drain()).toBe(true);
  await expect(idle.start()).rejects.toMatchObject({ code: "DT_STOPPED" });
  const starting = createThrottle({ name: "g", max: 2, store, runtime });
  const seen = watch(starting.start(), starting.acquireUpTo(1), starting.drain());
  await runtime.advance(100);
  expect(seen.sort()).toEqual(["0: DT_STOPPED", "1: DT_STOPPED", "2: false"]);
  expect((await store.inspect("g")).members).toHaveLength(0);
});

it("drain refuses options that it does not know, and can then be called again", async () => {
  const throttle = await started();
  await expect(throttle.drain({ deadline: 5 } as object)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  await expect(throttle.drain({ timeout: -1 })).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  expect(throttle.status().state).toBe("running");
  expect(await throttle.drain({ timeout: 0 })).toBe(true);
});

it("a drain after a stop has nothing in order: who waited was refused", async () => {
  const throttle = await started();
  throttle.tryAcquireUpTo(2);
  const seen = watch(throttle.acquireUpTo(1));
  const stopped = throttle.stop();
  expect(await throttle.drain()).toBe(false);
  await stopped;
  expect(seen).toEqual(["0: DT_STOPPED"]);
});

it.each([
  ["none", true, 0],
  ["refuse", false, 1],
  ["hang", false, 1],
  ["loseReplies", false, 0],
] as const)("drain while the store's fault is %s is in order: %s", async (fault, inOrder, members) => {
  const far = new FaultyStore(store);
  const throttle = await started({ store: far, name: `told ${fault}` });
  far.fault = fault;
  const drained = throttle.drain();
  await runtime.advance(3_000);
  expect(await drained).toBe(inOrder);
  expect(await throttle.drain(), "asked again").toBe(inOrder);
  expect((await store.inspect(`told ${fault}`)).members).toHaveLength(members);
});

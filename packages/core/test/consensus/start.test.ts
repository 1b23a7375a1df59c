import { expect, it } from "vitest";
import { createThrottle, isDtError, MemoryStore, type Throttle, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store that serves one call after the other, a few milliseconds each, whatever the number of those who ask. */
class BusyStore extends MemoryStore {
  mostAtOnce = 0;
  readonly #runtime: VirtualRuntime;
  readonly #eachMs: number;
  #atOnce = 0;
  #freeAtMs = 0;

  constructor(runtime: VirtualRuntime, eachMs: number) {
    super({ runtime });
    this.#runtime = runtime;
    this.#eachMs = eachMs;
  }

  override register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    return this.#inTurn(() => super.register(...args));
  }

  override sync(...args: Parameters<MemoryStore["sync"]>): Promise<View> {
    return this.#inTurn(() => super.sync(...args));
  }

  async #inTurn(call: () => Promise<View>): Promise<View> {
    const nowMs = this.#runtime.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + this.#eachMs;
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, this.#freeAtMs - nowMs));
    this.#atOnce -= 1;
    return call();
  }
}

/** A store that never answers one group, and all others at once. */
class PartialStore extends MemoryStore {
  readonly #group: string;

  constructor(runtime: VirtualRuntime, group: string) {
    super({ runtime });
    this.#group = group;
  }

  override async register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    return args[0] === this.#group ? new Promise(() => undefined) : super.register(...args);
  }
}

it("many throttles that start at once on one store stand in line: a call's deadline begins with its turn", async () => {
  const runtime = new VirtualRuntime();
  const store = new BusyStore(runtime, 2);
  const throttles = Array.from({ length: 1_000 }, () => createThrottle({ group: "g", max: 10_000, store, runtime }));
  const starts = Promise.allSettled(throttles.map((throttle) => throttle.start()));
  await runtime.advance(10_000);
  expect((await starts).filter(({ status }) => status === "rejected")).toEqual([]);
  expect(store.mostAtOnce).toBeLessThanOrEqual(256);
  const stops = Promise.all(throttles.map((throttle) => throttle.stop()));
  await runtime.advance(10_000);
  await stops;
  expect((await store.inspect("g")).poolSize).toBe(0);
});

/** When the start fails, in virtual time, and with what. */
async function failureOf(throttle: Throttle, runtime: VirtualRuntime): Promise<{ error: unknown; atMs: number }> {
  let atMs = Number.NaN;
  const start = throttle.start().catch((error: unknown) => {
    atMs = runtime.now();
    return error;
  });
  await runtime.advance(30_000);
  return { error: await start, atMs };
}

it("a start on a store that answers nobody fails after one deadline", async () => {
  const runtime = new VirtualRuntime();
  const throttle = createThrottle({ group: "g", max: 10, store: new BusyStore(runtime, 1e9), runtime });
  const { error, atMs } = await failureOf(throttle, runtime);
  expect(isDtError(error, "DT_STORE_TIMEOUT")).toBe(true);
  expect(atMs).toBe(1_250);
});

it("a start tries again while the store answers others, and fails in the end with what it failed with", async () => {
  const runtime = new VirtualRuntime();
  const store = new PartialStore(runtime, "slow");
  const other = createThrottle({ group: "quick", max: 10, store, runtime });
  const started = other.start();
  await runtime.advance(10);
  await started;
  const { error, atMs } = await failureOf(createThrottle({ group: "slow", max: 10, store, runtime }), runtime);
  expect(isDtError(error, "DT_STORE_TIMEOUT")).toBe(true);
  // Sixteen times storeTimeout, 1.25 s, less a pause and a try.
  expect(atMs).toBeGreaterThan(17_000);
  expect(atMs).toBeLessThanOrEqual(21_300);
});

it("a throttle that is stopped while it waits for its turn does not call", async () => {
  const runtime = new VirtualRuntime();
  const store = new BusyStore(runtime, 1);
  const throttles = Array.from({ length: 300 }, () => createThrottle({ group: "g", max: 10_000, store, runtime }));
  const starts = throttles.map((throttle) => throttle.start().catch((error: unknown) => error));
  const stopped = throttles[299]?.stop();
  await runtime.advance(3_000);
  await stopped;
  expect(isDtError(await starts[299], "DT_STOPPED")).toBe(true);
  expect((await store.inspect("g")).poolSize).toBe(299);
});

import { expect, it } from "vitest";
import { createThrottle, isDtError, MemoryStore, type View } from "../../src/index.ts";
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

it("a start tries again while the store answers too late, and fails in the end with what it failed with", async () => {
  const runtime = new VirtualRuntime();
  const store = new BusyStore(runtime, 1e9);
  const throttle = createThrottle({ group: "g", max: 10, store, runtime });
  let failedAtMs = Number.NaN;
  const start = throttle.start().catch((error: unknown) => {
    failedAtMs = runtime.now();
    return error;
  });
  await runtime.advance(30_000);
  expect(isDtError(await start, "DT_STORE_TIMEOUT")).toBe(true);
  // Sixteen times storeTimeout, 1.25 s, less a pause and a try.
  expect(failedAtMs).toBeGreaterThan(17_000);
  expect(failedAtMs).toBeLessThanOrEqual(21_300);
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

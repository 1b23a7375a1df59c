import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store that takes its time. */
class SlowStore extends MemoryStore {
  tookMs = 0;
  calls = 0;
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  override register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    return this.#late(super.register(...args));
  }

  override sync(...args: Parameters<MemoryStore["sync"]>): Promise<View> {
    return this.#late(super.sync(...args));
  }

  async #late<T>(answer: Promise<T>): Promise<T> {
    this.calls += 1;
    const { tookMs } = this;
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, tookMs));
    return answer;
  }
}

/** Round trips take longer than `clockError`, 250 ms. */
async function begun(): Promise<{ runtime: VirtualRuntime; store: SlowStore; throttle: Throttle }> {
  const runtime = new VirtualRuntime();
  const store = new SlowStore(runtime);
  store.tookMs = 300;
  const throttle = createThrottle({ name: "g", max: 12, store, runtime });
  const started = throttle.start();
  await runtime.advance(300);
  await started;
  return { runtime, store, throttle };
}

async function end({ runtime, throttle }: Awaited<ReturnType<typeof begun>>): Promise<void> {
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await stopped;
}

it("a store that answers too slowly for its clock is asked soon again once, and then no oftener than always: or slow answers would make themselves", async () => {
  const process = await begun();
  const { runtime, store, throttle } = process;
  await runtime.advance(4_700);
  expect(throttle.tryAcquireUpTo(1)).toBe(0);
  // The first second call follows at once, since a first one is often slow alone.
  expect(store.calls).toBeGreaterThan(4);
  store.calls = 0;
  await runtime.advance(30_000);
  // One a second, less the jitter of a tenth, and each takes 300 ms.
  expect(store.calls).toBeLessThanOrEqual(25);
  store.tookMs = 10;
  await runtime.advance(3_000);
  expect(throttle.tryAcquireUpTo(100)).toBe(12);
  await end(process);
});

describe("a process that began, and whose answers all came too late so far", () => {
  it("serves whoever waits once an answer is short enough", async () => {
    const process = await begun();
    const { runtime, store, throttle } = process;
    const waiting = throttle.acquireUpTo(1);
    await runtime.advance(1_000);
    store.tookMs = 10;
    await runtime.advance(1_500);
    expect(await waiting).toBe(1);
    await end(process);
  });

  it("refuses whoever waits after five in a row: the store is slow", async () => {
    const process = await begun();
    const { runtime, store, throttle } = process;
    const waiting = throttle.acquireUpTo(1).catch((error: unknown) => error);
    await runtime.advance(1_450);
    expect(throttle.status().waiting).toBe(1);
    await runtime.advance(100);
    expect(await waiting).toMatchObject({ code: "DT_STORE_SLOW", effect: "definite" });
    // The registration, and five for the one that waited.
    expect(store.calls).toBe(6);
    await end(process);
  });

  it("asks no more often than always once nobody waits", async () => {
    const process = await begun();
    const { runtime, store, throttle } = process;
    const waiting = throttle.acquireUpTo(1, { timeout: 100 }).catch((error: unknown) => error);
    await runtime.advance(800);
    expect(await waiting).toMatchObject({ code: "DT_TIMEOUT" });
    // The registration, the call that follows it at once, and the next one, as without anybody who waited.
    expect(store.calls).toBe(3);
    await end(process);
  });
});

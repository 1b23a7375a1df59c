import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type View } from "../../src/index.ts";
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

it("a store that answers too slowly for its clock is asked soon again once, and then no oftener than always: or slow answers would make themselves", async () => {
  const runtime = new VirtualRuntime();
  const store = new SlowStore(runtime);
  // Longer than clockError, 250 ms.
  store.tookMs = 300;
  const throttle = createThrottle({ group: "g", max: 12, store, runtime });
  const started = throttle.start();
  await runtime.advance(5_000);
  await started;
  expect(throttle.tryAcquire(1)).toBe(0);
  // The first second call follows at once, since a first one is often slow alone.
  expect(store.calls).toBeGreaterThan(4);
  store.calls = 0;
  await runtime.advance(30_000);
  // One a second, less the jitter of a tenth, and each takes 300 ms.
  expect(store.calls).toBeLessThanOrEqual(25);
  store.tookMs = 10;
  await runtime.advance(3_000);
  expect(throttle.tryAcquire(100)).toBe(12);
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await stopped;
});

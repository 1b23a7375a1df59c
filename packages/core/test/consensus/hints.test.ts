import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store on whose channel anybody may send, and whose answers take a while. */
class OpenChannel extends MemoryStore {
  tookMs = 2;
  syncs = 0;
  readonly #runtime: VirtualRuntime;
  #listener: () => void = () => {};

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  hint(): void {
    this.#listener();
  }

  override async onHint(_group: string, listener: () => void): Promise<() => void> {
    this.#listener = listener;
    return () => {};
  }

  override async sync(...args: Parameters<MemoryStore["sync"]>): Promise<View> {
    this.syncs += 1;
    const answer = await super.sync(...args);
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, this.tookMs));
    return answer;
  }
}

let runtime: VirtualRuntime;
let store: OpenChannel;
let throttle: Throttle;

beforeEach(async () => {
  runtime = new VirtualRuntime();
  store = new OpenChannel(runtime);
  throttle = createThrottle({ name: "g", max: 10, store, runtime, shares: "even" });
  const started = throttle.start();
  await runtime.advance(10_000);
  await started;
  store.syncs = 0;
});

afterEach(async () => {
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await stopped;
});

/** Hints every so often for this long; answers how many syncs came. */
async function flood(everyMs: number, forMs: number): Promise<number> {
  store.syncs = 0;
  for (let passed = 0; passed < forMs; passed += everyMs) {
    store.hint();
    await runtime.advance(everyMs);
  }
  return store.syncs;
}

describe("hints", () => {
  it("without an end cause a few syncs at once and then twice as many as there would be without them", async () => {
    const first = await flood(5, 10_000);
    expect(first).toBeGreaterThan(20);
    expect(first).toBeLessThanOrEqual(8 + 2 * 10 + 1);
    expect(await flood(5, 60_000)).toBeLessThanOrEqual(2 * 60 + 1);
    expect(await flood(500, 60_000)).toBeLessThanOrEqual(2 * 60 + 1);
  });

  it("without an end cause no more where an answer is awaited whenever they come", async () => {
    store.tookMs = 200;
    await flood(5, 10_000);
    expect(await flood(5, 60_000)).toBeLessThanOrEqual(2 * 60 + 1);
  });

  it("that are rare are heeded at once, as often as a membership changes in earnest", async () => {
    for (let second = 0; second < 20; second++) {
      store.syncs = 0;
      await runtime.advance(3_000 - 20);
      const before = store.syncs;
      store.hint();
      await runtime.advance(20);
      expect(store.syncs).toBeGreaterThan(before);
    }
  });

  it("that come close together are heeded at once, eight times", async () => {
    for (let hint = 0; hint < 8; hint++) expect(await flood(20, 20)).toBe(1);
    expect(await flood(20, 20)).toBe(0);
    await runtime.advance(520);
    expect(store.syncs).toBe(1);
  });

  it("that come while a call is under way are heeded after it", async () => {
    store.tookMs = 200;
    store.hint();
    await runtime.advance(20);
    expect(store.syncs).toBe(1);
    store.hint();
    await runtime.advance(170);
    expect(store.syncs).toBe(1);
    await runtime.advance(30);
    expect(store.syncs).toBe(2);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { createPacer, MemoryStore, type Pacer, type Reservation } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store on whose channel anybody may send, and which counts what it is asked. */
class OpenChannel extends MemoryStore {
  asked = 0;
  hint: () => void = () => undefined;

  override async onPermitHint(_key: string, onFreed: () => void): Promise<() => void> {
    this.hint = onFreed;
    return () => undefined;
  }

  override reserve(...args: Parameters<MemoryStore["reserve"]>): Promise<Reservation> {
    this.asked += 1;
    return super.reserve(...args);
  }
}

let runtime: VirtualRuntime;
let store: OpenChannel;
let pacer: Pacer;

/** A pacer that was told to come back in a minute. */
beforeEach(async () => {
  runtime = new VirtualRuntime();
  store = new OpenChannel({ runtime });
  pacer = createPacer({ name: "k", every: "1m", maxReserved: 1, acquireTimeout: "1h", store, runtime });
  for (let caller = 0; caller < 4; caller++) pacer.acquire().catch(() => undefined);
  await runtime.advance(10);
});

/** Hints every so often for this long; answers how often the store was asked. */
async function flood(everyMs: number, forMs: number): Promise<number> {
  const before = store.asked;
  for (let passed = 0; passed < forMs; passed += everyMs) {
    store.hint();
    await runtime.advance(everyMs);
  }
  return store.asked - before;
}

describe("hints to a pacer that waits", () => {
  it("without an end make it ask eight times at once and then twice a second", async () => {
    const first = await flood(5, 10_000);
    expect(first).toBeGreaterThan(20);
    expect(first).toBeLessThanOrEqual(8 + 2 * 10 + 1);
    expect(await flood(5, 40_000)).toBeLessThanOrEqual(2 * 40 + 1);
  });

  it("are heeded at once while they are rare, and late when there were many", async () => {
    for (let hint = 0; hint < 8; hint++) expect(await flood(1, 1)).toBe(1);
    expect(await flood(1, 1)).toBe(0);
    const before = store.asked;
    await runtime.advance(500);
    expect(store.asked).toBe(before + 1);
    await runtime.advance(5_000);
    for (let hint = 0; hint < 8; hint++) expect(await flood(1, 1)).toBe(1);
  });

  it("that could not end a wait sooner than its end are no debt", async () => {
    const quick = createPacer({ name: "quick", every: "60ms", maxReserved: 1, store, runtime });
    const served = Promise.allSettled(Array.from({ length: 400 }, () => quick.acquire()));
    await flood(5, 30_000);
    await served;
    const minute = { count: 1, cost: 1_000, everyMs: 60, burst: 1, maxReserved: 10_000, keepMs: 1, queueMs: 0 };
    await store.reserve("quick", { id: "somebody else", ...minute });
    quick.acquire().catch(() => undefined);
    await runtime.advance(10);
    for (let hint = 0; hint < 8; hint++) expect(await flood(1, 1)).toBe(1);
  });
});

it("who begins to listen too late does not listen on", async () => {
  let listening = 0;
  class SlowChannel extends MemoryStore {
    override async onPermitHint(): Promise<() => void> {
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 2_000));
      listening += 1;
      return () => {
        listening -= 1;
      };
    }
  }
  const slow = createPacer({ name: "k", every: 3_000, maxReserved: 0, store: new SlowChannel({ runtime }), runtime });
  for (let caller = 0; caller < 10; caller++) slow.acquire().catch(() => undefined);
  await runtime.advance(40_000);
  expect(listening).toBe(0);
  await slow.stop();
});

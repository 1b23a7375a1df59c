import { describe, expect, it } from "vitest";
import { WantEstimate, type WantHints } from "../../src/demand/want-estimate.ts";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Crowd } from "./support.ts";

const HINTS: WantHints = {
  waiting: 0,
  starved: false,
  patient: false,
  refused: false,
  short: false,
  tight: true,
  most: 1_000,
};

describe("a process that asks for nothing any more", () => {
  it.each([
    [1, false],
    [1, true],
    [100, false],
    [100, true],
  ])("wants nothing within seconds, after requests of %i tokens; patient %s", (cost, patient) => {
    const estimate = new WantEstimate(1_000);
    for (let nowMs = 0; nowMs < 10_000; nowMs += 250) {
      if (nowMs % 500 === 0) estimate.add(cost, nowMs);
      estimate.next(nowMs, { ...HINTS, patient }, 1);
    }
    expect(estimate.next(10_000, { ...HINTS, patient }, 1)).toBeGreaterThan(0);
    let want = Number.NaN;
    for (let nowMs = 10_250; nowMs <= 15_000; nowMs += 250) want = estimate.next(nowMs, { ...HINTS, patient }, 1);
    expect(want).toBe(0);
  });

  it("leaves a busy one everything, where there are as many idle ones as tokens", async () => {
    const crowd = new Crowd(30);
    const [busy] = [await crowd.join()];
    const idle = await Promise.all(Array.from({ length: 40 }, () => crowd.join()));
    await crowd.run(3_000);
    // Each has asked now and then, and does no more.
    for (let request = 0; request < 12; request++) {
      for (const { throttle } of idle) throttle.tryAcquireUpTo(1);
      await crowd.run(500);
    }
    busy.perSecond = 60;
    await crowd.run(8_000);
    const [had = 0] = await crowd.run(10_000);
    expect(had).toBeGreaterThan(0.95 * 10 * 30);
    expect(crowd.most).toBeLessThanOrEqual(30);
    await crowd.stop();
  });
});

describe("a process whose last callers gave up", () => {
  it.each(["their time is up", "they are aborted"])("wants nothing any more, for no caller waits: %s", async (how) => {
    const runtime = new VirtualRuntime({ seed: 1, startMs: 1_000_000_000 });
    const store = new MemoryStore({ runtime });
    const throttles = [1, 2].map(() => createThrottle({ name: "g", max: 20, shares: "demand", store, runtime }));
    const [left, busy] = throttles as [(typeof throttles)[0], (typeof throttles)[0]];
    await Promise.all(throttles.map((throttle) => throttle.start()));
    // Of 100 a second, each for half a second, some wait nearly always. The last give up before the epoch ends.
    for (let ms = 0; ms < 8_300; ms += 10) {
      const call =
        how === "they are aborted"
          ? left.acquireUpTo(1, { signal: aborted(runtime, 500) })
          : left.acquireUpTo(1, { timeout: 500 });
      call.catch(() => undefined);
      await runtime.advance(10);
    }
    await runtime.advance(500);
    expect(left.status().waiting).toBe(0);
    await runtime.advance(5_000);
    expect(left.status().want).toBe(0);
    let granted = 0;
    busy.on("grant", ({ tokens }) => (granted += tokens));
    const again = (): void => void busy.acquireUpTo(1).then(again, () => undefined);
    again();
    await runtime.advance(15_000);
    expect(left.status().want).toBe(0);
    expect(granted).toBeGreaterThan(0.95 * 15 * 20);
    await Promise.all(throttles.map((throttle) => throttle.stop()));
  });
});

function aborted(runtime: VirtualRuntime, afterMs: number): AbortSignal {
  const controller = new AbortController();
  runtime.setTimer(() => controller.abort(), afterMs);
  return controller.signal;
}

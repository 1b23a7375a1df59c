import { describe, expect, it } from "vitest";
import { WantEstimate, type WantHints } from "../../src/demand/want-estimate.ts";
import { Crowd } from "./support.ts";

const HINTS: WantHints = { waiting: 0, starved: false, patient: false, short: false, tight: true, most: 1_000 };

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
      for (const { throttle } of idle) throttle.tryAcquire();
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

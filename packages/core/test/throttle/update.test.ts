import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type ModeOption, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A throttle alone in its group, at the start of an epoch, and its time. */
async function started(options: Partial<ThrottleOptions>): Promise<{ throttle: Throttle; runtime: VirtualRuntime }> {
  const runtime = new VirtualRuntime();
  const throttle = createThrottle({ name: "g", max: 110, store: new MemoryStore({ runtime }), runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return { throttle, runtime };
}

/** One that has climbed from 10 by so many steps of 10, and what it may grant now. */
async function climbed(steps: number): Promise<{ throttle: Throttle; runtime: VirtualRuntime }> {
  const world = await started({ min: 10, max: 110, rampUp: "10s" });
  for (let step = 0; step <= steps; step++) {
    if (step > 0) await world.runtime.advance(1_000);
    world.throttle.tryAcquireUpTo(1);
  }
  return world;
}

describe("an update in epochs without a request", () => {
  it.each<[ModeOption, number]>([
    ["scheduled", 70],
    ["relaxed", 40],
    [{ type: "onlyIfUsed", threshold: 1 }, 40],
    [{ type: "goBackN", threshold: 1 }, 10],
  ])("moves no ramp, however often it is repeated: %o goes on as if there had been none", async (mode, level) => {
    const { throttle, runtime } = await started({ min: 10, rampUp: "10s", mode });
    for (let i = 0; i < 3; i++) {
      throttle.tryAcquireUpTo(1);
      await runtime.advance(1_000);
    }
    // At 30, and three epochs without a request.
    for (let i = 0; i < 12; i++) {
      throttle.status();
      throttle.update({ max: 110 });
      await runtime.advance(250);
    }
    expect(throttle.status().level).toBe(level);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(level);
    await throttle.stop();
  });
});

describe("an update to another ramp", () => {
  it("keeps level and share exactly: 1,470 updates, from 30 to limits of 31 to 520 and ramps of 1, 7 or 30 s", async () => {
    const moved: string[] = [];
    for (let max = 31; max <= 520; max++)
      for (const rampUp of ["1s", "7s", "30s"] as const) {
        const { throttle } = await climbed(2);
        throttle.update({ max, rampUp });
        const { level, share } = throttle.status();
        if (level !== 30 || share !== 30) moved.push(`max ${max}, rampUp ${rampUp}: level ${level}, share ${share}`);
        await throttle.stop();
      }
    expect(moved).toEqual([]);
  });

  it("keeps level and share exactly, whatever the ramps before and after and wherever on them", async () => {
    const limit = fc
      .tuple(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 200_000 }),
      )
      .map(([min, more, rampUp]) => ({ min, max: min + more, rampUp }));
    await fc.assert(
      fc.asyncProperty(
        limit,
        fc.nat(12),
        fc.array(limit, { minLength: 1, maxLength: 6 }),
        async (first, steps, later) => {
          const { throttle, runtime } = await started({ ...first, mode: "scheduled" });
          throttle.tryAcquireUpTo(1);
          await runtime.advance(steps * 1_000);
          throttle.tryAcquireUpTo(1);
          const before = throttle.status().level;
          // Around the level as it is, so that nothing clamps it.
          for (const { min, max, rampUp } of later)
            throttle.update({
              min: Math.min(min, Math.floor(before)),
              max: Math.max(max, Math.ceil(before), 1),
              rampUp,
            });
          const { level, share, capacity } = throttle.status();
          expect({ level, share }).toEqual({ level: before, share: Math.floor(Math.min(before, capacity)) });
          await throttle.stop();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("goes on from the level in steps of the new ramp, and reaches its top in a whole step", async () => {
    const { throttle, runtime } = await climbed(2);
    throttle.update({ max: 61, min: 1, rampUp: "7s" });
    const levels: number[] = [];
    for (let i = 0; i < 5; i++) {
      await runtime.advance(1_000);
      throttle.tryAcquireUpTo(1);
      levels.push(throttle.status().level);
    }
    // A step is 60 / 7 tokens.
    expect(levels).toEqual([270 / 7, 330 / 7, 390 / 7, 61, 61]);
    await throttle.stop();
  });

  it("lowers the level to a lower max, and lifts it to a higher min", async () => {
    const { throttle } = await climbed(5);
    throttle.update({ max: 40 });
    expect(throttle.status().level).toBe(40);
    throttle.update({ max: 110, min: 55 });
    expect(throttle.status().level).toBe(55);
    await throttle.stop();
  });
});

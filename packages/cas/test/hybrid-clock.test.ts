import { HybridClock } from "@dt/cas";
import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("a hybrid clock", () => {
  it("is the monotonic clock until a group time is known, and then starts from that, be it ahead or behind", () => {
    for (const recordedMs of [5, 1e12]) {
      const runtime = new VirtualRuntime({ startMs: 1_000 });
      const clock = new HybridClock(runtime);
      expect(clock.known).toBe(false);
      expect(clock.now()).toBe(1_000);
      clock.observe(recordedMs);
      expect(clock.known).toBe(true);
      expect(clock.now()).toBe(recordedMs);
      runtime.jump(250);
      expect(clock.now()).toBeCloseTo(recordedMs + 250, 2);
    }
  });

  it("jumps to a time that is ahead of it, and lets one that is behind pass", () => {
    const runtime = new VirtualRuntime();
    const clock = new HybridClock(runtime);
    clock.observe(100);
    clock.observe(70);
    expect(clock.now()).toBe(100);
    clock.observe(500);
    expect(clock.now()).toBe(500);
    runtime.jump(10);
    expect(clock.now()).toBeCloseTo(510, 2);
  });

  it("never goes back, is never behind what was observed, and never runs ahead of both", () => {
    const step = fc.record({
      waitMs: fc.double({ min: 0, max: 50, noNaN: true }),
      seen: fc.option(fc.double({ min: 0, max: 400, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e13, noNaN: true }), fc.array(step, { minLength: 1 }), (startMs, steps) => {
        const runtime = new VirtualRuntime({ startMs });
        const clock = new HybridClock(runtime);
        clock.observe(0);
        let last = 0;
        // What an exact clock would show at most: the newest observation, and the time since.
        let bound = 0;
        for (const { waitMs, seen } of steps) {
          runtime.jump(waitMs);
          bound += waitMs;
          if (seen !== null) {
            clock.observe(seen);
            bound = Math.max(bound, seen);
            expect(clock.now()).toBeGreaterThanOrEqual(seen);
          }
          const now = clock.now();
          expect(now).toBeGreaterThanOrEqual(last);
          // A number near 1e13 has steps of 0.002.
          expect(now).toBeLessThanOrEqual(bound + 0.01 * (1 + steps.length));
          last = now;
        }
      }),
    );
  });

  it("tells whole microseconds: what is recorded stays short", () => {
    const runtime = new VirtualRuntime({ startMs: 0.123456789 });
    const clock = new HybridClock(runtime);
    expect(String(clock.now())).toBe("0.123");
  });
});

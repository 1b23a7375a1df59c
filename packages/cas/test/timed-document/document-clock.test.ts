import { DocumentClock, LONGEST_LEAD_MS } from "@dt/cas";
import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const record = (timeMs: number, mark: string, isOwn = false) => ({ timeMs, mark, isOwn });

function clockAt(
  startMs: number,
  staysAhead?: boolean,
): { readonly runtime: VirtualRuntime; readonly clock: DocumentClock } {
  const runtime = new VirtualRuntime({ startMs });
  return { runtime, clock: new DocumentClock(runtime, staysAhead) };
}

describe("a document's clock", () => {
  it("begins where the process's own clock is, never below zero, and goes on from there", () => {
    for (const [startMs, timeMs] of [
      [700, 700],
      [-700, 0],
    ] as const) {
      const { runtime, clock } = clockAt(startMs);
      clock.begin();
      expect(clock.now()).toBe(timeMs);
      runtime.jump(40);
      expect(clock.now()).toBe(timeMs + 40);
    }
  });

  it("starts from the first record that it reads, be that ahead or behind", () => {
    for (const timeMs of [3, 1e12]) {
      const { runtime, clock } = clockAt(5_000);
      clock.observe(record(timeMs, "a"));
      expect(clock.now()).toBe(timeMs);
      runtime.jump(10);
      expect(clock.now()).toBe(timeMs + 10);
    }
  });

  it("jumps to a record that is ahead of it", () => {
    const { clock } = clockAt(0);
    clock.observe(record(100, "a"));
    clock.observe(record(5_000, "b"));
    expect(clock.now()).toBe(5_000);
  });

  it("goes back to the longest lead when somebody else's record is further behind", () => {
    const { runtime, clock } = clockAt(0);
    clock.observe(record(100, "a"));
    runtime.jump(400);
    clock.observe(record(100, "b"));
    expect(clock.now()).toBe(500);
    runtime.jump(9_600);
    clock.observe(record(120, "c"));
    expect(clock.now()).toBe(120 + LONGEST_LEAD_MS);
  });

  it("goes back to a record that is further behind than the lead, where that is asked for", () => {
    const { runtime, clock } = clockAt(0, false);
    clock.observe(record(100, "a"));
    runtime.jump(400);
    clock.observe(record(100, "b"));
    expect(clock.now()).toBe(500);
    runtime.jump(9_600);
    clock.observe(record(120, "c"));
    expect(clock.now()).toBe(120);
  });

  it("counts the time that it has seen pass since a record", () => {
    const { runtime, clock } = clockAt(0);
    clock.observe(record(100, "a"));
    runtime.jump(60_000);
    clock.observe(record(100, "a"));
    expect(clock.now()).toBe(60_100);
  });

  it("trusts its own record, however old", () => {
    const { runtime, clock } = clockAt(0);
    clock.begin();
    runtime.jump(10);
    clock.recorded(clock.now(), "a");
    runtime.jump(30_000);
    clock.observe(record(10, "a", true));
    expect(clock.now()).toBe(30_010);
    // One whose answer was lost: the mark is new.
    clock.observe(record(10, "b", true));
    expect(clock.now()).toBe(30_010);
  });

  it("does not get slower by recording", () => {
    const { runtime, clock } = clockAt(0);
    clock.begin();
    for (let i = 0; i < 10_000; i++) {
      const timeMs = clock.now();
      // A write takes a while.
      runtime.jump(0.1237);
      clock.recorded(timeMs, String(i));
      clock.observe(record(timeMs, String(i), true));
    }
    expect(clock.now()).toBeGreaterThan(1_236.99);
    expect(clock.now()).toBeLessThanOrEqual(1_237.01);
  });

  it("is never behind any record, and never further ahead of somebody else's than the lead and what has passed", () => {
    const step = fc.record({
      waitMs: fc.double({ min: 0, max: 900, noNaN: true }),
      moves: fc.nat(700),
      fresh: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), fc.boolean(), (steps, staysAhead) => {
        const { runtime, clock } = clockAt(3, staysAhead);
        let [timeMs, mark, sinceMs] = [10, 0, 0];
        for (const { waitMs, moves, fresh } of steps) {
          runtime.jump(waitMs);
          sinceMs += waitMs;
          if (fresh) [timeMs, mark, sinceMs] = [timeMs + moves, mark + 1, 0];
          clock.observe(record(timeMs, String(mark)));
          expect(clock.now()).toBeGreaterThanOrEqual(timeMs);
          expect(clock.now()).toBeLessThanOrEqual(timeMs + sinceMs + LONGEST_LEAD_MS + 0.001);
        }
      }),
    );
  });
});

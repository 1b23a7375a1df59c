import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoreClock } from "../../src/consensus/store-clock.ts";

describe("the store's clock, as learned from round trips", () => {
  it("stays within the error bound, whatever the delays of each direction", () => {
    const trips = fc.array(
      fc.record({
        gapMs: fc.double({ min: 1, max: 2_000, noNaN: true }),
        there: fc.double({ min: 0, max: 200, noNaN: true }),
        back: fc.double({ min: 0, max: 200, noNaN: true }),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(trips, fc.double({ min: -0.0009, max: 0.0009, noNaN: true }), (list, drift) => {
        const boundMs = 250;
        const clock = new StoreClock(boundMs);
        const storeAt = (localMs: number): number => 1_000_000 + localMs * (1 + drift);
        let nowMs = 0;
        for (const { gapMs, there, back } of list) {
          nowMs += gapMs;
          clock.observe(nowMs, nowMs + there + back, storeAt(nowMs + there));
          nowMs += there + back;
          if (nowMs < clock.trustedUntilMs)
            expect(Math.abs(clock.toStore(nowMs) - storeAt(nowMs))).toBeLessThanOrEqual(boundMs + 1e-6);
        }
      }),
    );
  });

  it("says which time has come for certain: its own, less the bound, and less its error once that is larger", () => {
    const clock = new StoreClock(250);
    expect(clock.passedMs(1_000)).toBe(0);
    clock.observe(1_000, 1_020, 6_000);
    expect(clock.passedMs(1_010)).toBe(5_750);
    expect(clock.passedMs(241_020)).toBe(246_010 - 250);
    expect(clock.passedMs(501_020)).toBe(506_010 - 510);
  });

  it("does not use round trips longer than the bound", () => {
    const clock = new StoreClock(250);
    expect(clock.observe(0, 251, 5_000)).toBe(false);
    expect(clock.known).toBe(false);
    expect(clock.trustedUntilMs).toBe(0);
    expect(clock.observe(1_000, 1_250, 6_000)).toBe(true);
    expect(clock.known).toBe(true);
  });

  it("keeps the better estimate, until drift makes a newer one better", () => {
    const clock = new StoreClock(250);
    clock.observe(0, 2, 1_001);
    expect(clock.observe(100, 300, 1_150)).toBe(false);
    expect(clock.toStore(0)).toBe(1_000);
    expect(clock.observe(60_000, 60_060, 61_040)).toBe(true);
  });

  it("tells a jump ahead from what errors and drift explain", () => {
    const clock = new StoreClock(250);
    expect(clock.jumpedAhead(10, 1e12)).toBe(false);
    clock.observe(0, 20, 5_010);
    expect(clock.jumpedAhead(1_020, 6_020 + 11)).toBe(false);
    expect(clock.jumpedAhead(1_020, 6_020 + 12)).toBe(true);
    expect(clock.jumpedAhead(1_020, 1_000)).toBe(false);
  });

  it("follows at once when the store's clock has moved", () => {
    const clock = new StoreClock(250);
    clock.observe(0, 2, 1_001);
    expect(clock.observe(1_000, 1_040, 9_000)).toBe(true);
    expect(clock.toStore(1_020)).toBe(9_000);
  });

  it("is no longer trusted when no good round trip came for long", () => {
    const clock = new StoreClock(250);
    clock.observe(0, 100, 1_000);
    expect(clock.trustedUntilMs).toBe(100 + 200_000);
  });
});

it("a reading that is further off than both errors together contradicts the estimate, and replaces it, however slow it was", () => {
  const learned = (): StoreClock => {
    const clock = new StoreClock(250);
    expect(clock.observe(0, 2, 1_001)).toBe(true);
    return clock;
  };
  // A round trip of 100 ms: 50 ms of error, beside 1 ms and the drift of a second, 52.1 ms in all.
  expect(learned().observe(1_000, 1_100, 1_050 + 1_000 + 51)).toBe(false);
  const moved = learned();
  expect(moved.observe(1_000, 1_100, 1_050 + 1_000 + 54)).toBe(true);
  expect(moved.toStore(1_100)).toBe(2_154);
});

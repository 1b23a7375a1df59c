import fc from "fast-check";
import { expect, it } from "vitest";
import { isLess, toNumber } from "../../src/modes/fraction.ts";
import { type Activity, createMode } from "../../src/modes/mode.ts";
import { createRamp, footOf, type Level, moved, type Ramp, resumed, within } from "../../src/modes/ramp.ts";

const allUsed: Activity = { used: 1, offered: 1, elapsed: 1 };
const unused: Activity = { used: 0, offered: 1, elapsed: 1 };

/** The level after a mode has moved it from `level`. */
function after(ramp: Ramp, level: number, units: number): number {
  return toNumber(moved(ramp, resumed(ramp, level), units));
}

it("a million steps up and down end exactly where they began", () => {
  // A slope of 1/3 token: adding floats would drift.
  const ramp = createRamp(10, 110, 300);
  const goBackN = createMode({ type: "goBackN", threshold: 50, coolDownMs: 1, rampDown: 100 }, 1);
  const begun = resumed(ramp, 60);
  let level = begun;
  for (let i = 0; i < 1_000_000; i++) {
    level = moved(ramp, level, goBackN(allUsed));
    level = moved(ramp, level, goBackN(unused));
  }
  expect(level).toEqual(begun);
});

it("reaches max exactly, whatever the slope", () => {
  for (const epochs of [1, 3, 7, 10, 60, 999, 2.5]) {
    const ramp = createRamp(1, 16_777_217, epochs);
    const relaxed = createMode({ type: "relaxed" }, 1);
    let level = footOf(ramp);
    for (let i = 0; i < Math.ceil(epochs); i++) level = moved(ramp, level, relaxed(allUsed));
    expect(toNumber(level)).toBe(16_777_217);
  }
});

it("is at max at once when there is no ramp", () => {
  expect(toNumber(footOf(createRamp(40, 40, 10)))).toBe(40);
  expect(toNumber(footOf(createRamp(10, 40, 0)))).toBe(40);
});

it("finds the place of a remembered level, within the ramp", () => {
  const ramp = createRamp(10, 110, 10);
  expect([70, 5, 500, 29].map((level) => toNumber(resumed(ramp, level)))).toEqual([70, 10, 110, 29]);
  const thirds = createRamp(10, 110, 300);
  expect(resumed(thirds, 10 + 1 / 3)).toEqual({ top: 31n, bottom: 3n });
});

it("keeps every level to the last digit through other ramps and back, and goes on in whole steps", () => {
  const ramps = fc
    .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 100_000 }))
    .map(([max, epochs]) => createRamp(0, max, epochs / 100));
  fc.assert(
    fc.property(
      fc.array(ramps, { minLength: 1, maxLength: 5 }),
      fc.nat(1_000_000),
      fc.nat(50),
      (others, units, steps) => {
        const ramp = createRamp(0, 10_000, 77);
        const begun = moved(ramp, footOf(ramp), units);
        const kept = others
          .filter(({ max }) => toNumber(begun) <= max)
          .reduce<Level>((level, other) => within(other, level), begun);
        expect(kept).toEqual(begun);
        expect(moved(ramp, moved(ramp, kept, steps * 10_000), -steps * 10_000)).toEqual(
          isLess(moved(ramp, kept, steps * 10_000), { top: 10_000n, bottom: 1n })
            ? begun
            : moved(ramp, { top: 10_000n, bottom: 1n }, -steps * 10_000),
        );
      },
    ),
  );
});

it("does not grow without an end, however many ramps it has climbed", () => {
  let level = footOf(createRamp(1, 1_000_000, 1));
  for (let i = 1; i <= 2_000; i++) level = moved(createRamp(1, 1_000_000, 1_000_003 + i), level, 10_000);
  expect(level.bottom).toBeLessThanOrEqual(10n ** 36n);
  let expected = 1;
  for (let i = 1; i <= 2_000; i++) expected += 999_999 / (1_000_003 + i);
  expect(toNumber(level)).toBeCloseTo(expected, 6);
});

it("counts an epoch that offered nothing as fully used", () => {
  const onlyIfUsed = createMode({ type: "onlyIfUsed", threshold: 100 }, 1);
  expect(onlyIfUsed({ used: 0, offered: 0, elapsed: 1 })).toBe(10_000);
  expect(onlyIfUsed({ used: 99, offered: 100, elapsed: 1 })).toBe(0);
});

it("goes back part of a step for each missed epoch, after the cool-down only", () => {
  const ramp = createRamp(10, 110, 10);
  const goBackN = createMode({ type: "goBackN", threshold: 50, coolDownMs: 3, rampDown: 50 }, 1);
  expect(after(ramp, 60, goBackN({ ...allUsed, elapsed: 3 }))).toBe(70);
  expect(after(ramp, 60, goBackN({ ...allUsed, elapsed: 5 }))).toBe(50);
  expect(after(ramp, 60, goBackN({ ...unused, elapsed: 99 }))).toBe(10);
});

it("clamps goBackN once after a gap: at the top the step up makes up for the first missed epoch", () => {
  const ramp = createRamp(10, 110, 10);
  const goBackN = createMode({ type: "goBackN", threshold: 50, coolDownMs: 1, rampDown: 100 }, 1);
  expect([1, 2, 3, 4].map((elapsed) => after(ramp, 110, goBackN({ ...allUsed, elapsed })))).toEqual([
    110, 110, 100, 90,
  ]);
});

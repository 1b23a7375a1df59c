import { expect, it } from "vitest";
import { type Activity, createMode } from "../../src/modes/mode.ts";
import { createRamp, levelAt, positionOf } from "../../src/modes/ramp.ts";

const allUsed: Activity = { used: 1, offered: 1, elapsed: 1 };
const unused: Activity = { used: 0, offered: 1, elapsed: 1 };

it("a million steps up and down end exactly where they began", () => {
  // A slope of 1/3 token: adding floats would drift.
  const ramp = createRamp(10, 110, 300);
  const goBackN = createMode({ type: "goBackN", threshold: 50, coolDownEpochs: 1, rampDown: 100 });
  let position = positionOf(ramp, 60);
  const begun = levelAt(ramp, position);
  for (let i = 0; i < 1_000_000; i++) {
    position = goBackN(position, allUsed, ramp.top);
    position = goBackN(position, unused, ramp.top);
  }
  expect(levelAt(ramp, position)).toBe(begun);
});

it("reaches max exactly, whatever the slope", () => {
  for (const epochs of [1, 3, 7, 10, 60, 999, 2.5]) {
    const ramp = createRamp(1, 16_777_217, epochs);
    const relaxed = createMode({ type: "relaxed" });
    let position = 0;
    for (let i = 0; i < Math.ceil(epochs); i++) position = relaxed(position, allUsed, ramp.top);
    expect(levelAt(ramp, position)).toBe(16_777_217);
  }
});

it("is at max at once when there is no ramp", () => {
  const ramp = createRamp(40, 40, 10);
  expect(levelAt(ramp, 0)).toBe(40);
  expect(levelAt(createRamp(10, 40, 0), 0)).toBe(40);
});

it("finds the place of a remembered level, within the ramp", () => {
  const ramp = createRamp(10, 110, 10);
  expect(levelAt(ramp, positionOf(ramp, 70))).toBe(70);
  expect(levelAt(ramp, positionOf(ramp, 5))).toBe(10);
  expect(levelAt(ramp, positionOf(ramp, 500))).toBe(110);
});

it("counts an epoch that offered nothing as fully used", () => {
  const onlyIfUsed = createMode({ type: "onlyIfUsed", threshold: 100 });
  expect(onlyIfUsed(0, { used: 0, offered: 0, elapsed: 1 }, 100_000)).toBe(10_000);
  expect(onlyIfUsed(0, { used: 99, offered: 100, elapsed: 1 }, 100_000)).toBe(0);
});

it("goes back part of a step for each missed epoch, after the cool-down only", () => {
  const ramp = createRamp(10, 110, 10);
  const goBackN = createMode({ type: "goBackN", threshold: 50, coolDownEpochs: 3, rampDown: 50 });
  const at = positionOf(ramp, 60);
  expect(levelAt(ramp, goBackN(at, { ...allUsed, elapsed: 3 }, ramp.top))).toBe(70);
  expect(levelAt(ramp, goBackN(at, { ...allUsed, elapsed: 5 }, ramp.top))).toBe(50);
  expect(levelAt(ramp, goBackN(at, { ...unused, elapsed: 99 }, ramp.top))).toBe(10);
});

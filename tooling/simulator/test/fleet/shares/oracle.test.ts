import { describe, expect, it } from "vitest";
import { maxMin, oracle } from "../../../src/fleet/shares/oracle.ts";

const divided = (wants: number[], max: number): number[] =>
  maxMin(
    wants,
    max,
    wants.map(() => 0),
  );

describe("a limit divided max-min fairly", () => {
  it("gives everybody what it wants while there is enough", () => {
    expect(divided([3, 0, 5], 8)).toEqual([3, 0, 5]);
    expect(divided([3, 0, 5], 100)).toEqual([3, 0, 5]);
    expect(divided([], 5)).toEqual([]);
  });

  it("serves small wants in full, and divides what is left between the others", () => {
    expect(divided([1, 20, 4, 20], 15)).toEqual([1, 5, 4, 5]);
    expect(divided([100, 1, 1], 10)).toEqual([8, 1, 1]);
    expect(divided([7, 7, 7], 0)).toEqual([0, 0, 0]);
  });

  it("gives what cannot be divided to those who had the fewest turns", () => {
    const turns = [0, 0, 0];
    const epochs = Array.from({ length: 3 }, () => maxMin([9, 9, 9], 10, turns));
    expect(epochs).toEqual([
      [4, 3, 3],
      [3, 4, 3],
      [3, 3, 4],
    ]);
    expect(turns).toEqual([1, 1, 1]);
  });

  it("gives no odd token to whom it is of no use", () => {
    expect(divided([3, 9, 9], 10)).toEqual([3, 4, 3]);
  });
});

/** Requests at one instant. */
const burst = (count: number, atMs: number): number[] => Array.from({ length: count }, () => atMs);

/** Seconds 0 to 9, all counted. */
const world = { epochMs: 1_000, fromMs: 0, untilMs: 10_000 };

describe("the oracle", () => {
  it("serves a burst until its patience ends, in the epoch in which that is as well", () => {
    const arrivals = [burst(100, 500)];
    // Epochs 0, 1 and 2: at 2,000 ms those of 500 ms still wait.
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 2_000 })).toEqual([30]);
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 1_000 })).toEqual([20]);
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 400 })).toEqual([10]);
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 0 })).toEqual([10]);
  });

  it("knows what will arrive in an epoch, and looks no farther", () => {
    // The limit of the first epoch is enough for both; in the second there is only what came then.
    const arrivals = [burst(6, 0), [...burst(4, 999), ...burst(20, 1_000)]];
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 0 })).toEqual([6, 14]);
  });

  it("serves first who came first, so that those who wait longest do not lose", () => {
    const arrivals = [[...burst(10, 0), ...burst(10, 1_000), ...burst(10, 2_000)]];
    // 10 in each epoch: nobody is left to give up.
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 1_000 })).toEqual([30]);
  });

  it("counts the epochs that begin in the time that is measured", () => {
    const arrivals = [[...burst(5, 0), ...burst(5, 1_000), ...burst(5, 2_000)]];
    expect(oracle({ ...world, arrivals, max: 5, patienceMs: 0, fromMs: 1_000 })).toEqual([10]);
    expect(oracle({ ...world, arrivals, max: 5, patienceMs: 0, fromMs: 1_000, untilMs: 2_000 })).toEqual([5]);
  });

  it("lets a large member use what a small one leaves", () => {
    const each = Array.from({ length: 10 }, (_, second) => second * 1_000);
    const arrivals = [each.flatMap((atMs) => burst(2, atMs)), each.flatMap((atMs) => burst(50, atMs))];
    expect(oracle({ ...world, arrivals, max: 10, patienceMs: 0 })).toEqual([20, 80]);
  });
});

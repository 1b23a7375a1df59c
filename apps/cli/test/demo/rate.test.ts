import { expect, test } from "vitest";
import { rateSeries } from "../../src/demo/measure/rate.ts";
import type { Arrival } from "../../src/demo/record.ts";

function arrivals(...rows: (readonly [atMs: number, worker: number, served: boolean])[]): Arrival[] {
  return rows.map(([atMs, worker, served]) => ({ atMs, grantedMs: atMs - 1, worker, served }));
}

test("of every stretch, the fullest second that ends in it is shown", () => {
  const seen = arrivals([5_100, 1, true], [5_500, 2, true], [5_600, 1, false], [6_000, 1, true], [6_100, 2, true]);
  const series = rateSeries({ arrivals: seen, startMs: 5_000, endMs: 8_000 }, 6);
  expect(series.seconds).toEqual([0.5, 1, 1.5, 2, 2.5, 3]);
  // At 6,000 four calls are in the second before. At 6,500 it has three of them, at 7,000 one.
  expect(series.total).toEqual([2, 4, 4, 3, 1, 0]);
  expect(series.byWorker.get(1)).toEqual([1, 3, 3, 2, 0, 0]);
  expect(series.byWorker.get(2)).toEqual([1, 1, 1, 1, 1, 0]);
  expect(series.refused).toEqual([0, 1, 1, 1, 0, 0]);
});

test("no peak is lost between two points, and none after the end", () => {
  const burst = Array.from({ length: 9 }, (_, index) => [3_300 + index, 1, true] as const);
  const late = Array.from({ length: 12 }, (_, index) => [10_001 + index, 1, true] as const);
  const { total } = rateSeries({ arrivals: arrivals(...burst, ...late), startMs: 0, endMs: 10_000 }, 2);
  expect(total).toEqual([9, 12]);
});

test("a run without requests has a rate of 0 throughout", () => {
  const series = rateSeries({ arrivals: [], startMs: 0, endMs: 1_000 }, 4);
  expect(series.total).toEqual([0, 0, 0, 0]);
});

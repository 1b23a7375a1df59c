import { expect, test } from "vitest";
import { rateSeries } from "../../src/demo/measure/rate.ts";
import { ArrivalLog } from "../../src/demo/process/arrivals.ts";

function arrivals(...rows: (readonly [atMs: number, worker: number, served: boolean])[]) {
  const log = new ArrivalLog();
  for (const [atMs, worker, served] of rows) log.add(atMs, atMs - 1, worker, served);
  return log;
}

test("every point counts the requests of the second before it", () => {
  const log = arrivals([5_100, 1, true], [5_500, 2, true], [5_600, 1, false], [6_000, 1, true], [6_100, 2, true]);
  const series = rateSeries(log.columns(), { startMs: 5_000, endMs: 8_000 }, 6);
  expect(series.seconds).toEqual([0.5, 1, 1.5, 2, 2.5, 3]);
  expect(series.total).toEqual([2, 4, 3, 1, 0, 0]);
  expect(series.byWorker.get(1)).toEqual([1, 3, 2, 0, 0, 0]);
  expect(series.byWorker.get(2)).toEqual([1, 1, 1, 1, 0, 0]);
  expect(series.rejected).toEqual([0, 1, 1, 0, 0, 0]);
});

test("a run without requests has a rate of 0 throughout", () => {
  const series = rateSeries(arrivals().columns(), { startMs: 0, endMs: 1_000 }, 4);
  expect(series.total).toEqual([0, 0, 0, 0]);
});

test("the arrival log keeps everything while it grows", () => {
  const log = new ArrivalLog();
  for (let index = 0; index < 5_000; index++) log.add(index, index - 0.5, index % 7, index % 3 > 0);
  const { atMs, grantedMs, worker, served } = log.columns();
  expect([atMs.length, grantedMs.length, worker.length, served.length]).toEqual([5_000, 5_000, 5_000, 5_000]);
  expect([atMs[4_321], grantedMs[4_321], worker[4_321], served[4_321]]).toEqual([4_321, 4_320.5, 4_321 % 7, 1]);
  expect([log.servedCount, log.rejectedCount]).toEqual([3_333, 1_667]);
});

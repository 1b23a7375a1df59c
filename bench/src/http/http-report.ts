import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import type { HttpFigures } from "./http.ts";

/** A request that obeys costs at most so much of one that does not, in processor time. */
const MOST = 1.5;

export function httpReport({ rounds, plan, candidates }: HttpFigures): Report {
  return {
    tables: [
      {
        title: "One request on a kept connection, its answer of two bytes read",
        columns: ["", "µs of processor", "min", "max", "beside plain", "µs of time"],
        rows: candidates.map(({ name, cpuUs, wallUs, cpuRatio }) => [
          name,
          ...[cpuUs.median, cpuUs.min, cpuUs.max].map(figure),
          ratio(cpuRatio.median),
          figure(wallUs.median),
        ]),
        notes: [
          ...candidates.map(({ name, configuration }) => `${name}: ${configuration}.`),
          `Medians of ${rounds} rounds, candidates interleaved, each measurement in a fresh process: ${count(plan.requests)} requests, ${plan.atOnce} at once, after ${count(plan.warmUp)} to warm up. The server is another process and answers at once. Processor time is that of the client's process alone; ratios are taken within a round.`,
        ],
      },
    ],
    targets: candidates
      .filter(({ name }) => name === "undici + @dt/http" || name === "@dt/http fetch")
      .map(({ name, beside, cpuRatio }) =>
        atMost(`${name}: processor time of a request beside ${beside}`, cpuRatio.median, MOST),
      ),
  };
}

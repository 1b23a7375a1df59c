import type { Benchmark, RunOptions } from "../benchmark.ts";
import { longEnough } from "../long-enough.ts";
import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { approaches } from "./approaches.ts";
import { type FleetPlan, offeredPerSecond } from "./plan.ts";
import { type ApproachFigures, runApproach } from "./run-approach.ts";

export interface FleetFigures {
  readonly plan: FleetPlan;
  readonly approaches: readonly ApproachFigures[];
}

const LOAD = { workers: 5, offered: 1.2, busyPart: 0.8, line: 200 };

export const fleet: Benchmark<FleetFigures> = {
  name: "fleet",
  summary: "five workers under the limit of one callee, most of the work on one of them, shared in five ways",
  parts: approaches.map(({ name }) => name),
  run,
  report: fleetReport,
  merge: (kept, fresh) => ({
    ...kept,
    approaches: approaches.flatMap(({ name }) => {
      const isIt = (figures: ApproachFigures): boolean => figures.name === name;
      return fresh.approaches.find(isIt) ?? kept.approaches.find(isIt) ?? [];
    }),
  }),
};

/** `rounds` is the number of windows that are measured. */
async function run(options: RunOptions): Promise<FleetFigures> {
  const { quick, rounds = 2 } = options;
  const planOf = (windowMs: number, warmUpMs: number, windows: number): FleetPlan => ({
    callee: { limit: windowMs / 10, windowMs },
    ...LOAD,
    ...{ warmUpMs, measuredMs: windows * windowMs },
  });
  return quick
    ? longEnough((factor) => measureAll(planOf(1_000, 1_000, factor * rounds), options), isMeasured)
    : measureAll(planOf(60_000, 30_000, rounds), options);
}

/** Whether calls of every worker were accepted, and the store was asked, with every approach. */
function isMeasured({ approaches: measured }: FleetFigures): boolean {
  return measured.every(
    ({ used, books, lightMedianWaitMs, busyMedianWaitMs, commandsPerSecond }) =>
      books.callee.every(({ accepted }) => accepted > 0) &&
      Math.min(used, commandsPerSecond) > 0 &&
      ![lightMedianWaitMs, busyMedianWaitMs].includes(null),
  );
}

async function measureAll(plan: FleetPlan, { only, progress }: RunOptions): Promise<FleetFigures> {
  const wanted = approaches.filter(({ name }) => only === undefined || only === name);
  const measure = async (approach: (typeof approaches)[number]): Promise<ApproachFigures> => {
    progress(`${approach.name}: ${(plan.warmUpMs + plan.measuredMs) / 1_000} s; ${approach.settings(plan.callee)}`);
    const figures = await runApproach(approach, plan);
    const { used, rejected429, lightMedianWaitMs } = figures;
    progress(
      `${approach.name}: ${(100 * used).toFixed(1)} % used, ${rejected429} refused, light workers wait ${figure(lightMedianWaitMs)} ms`,
    );
    return figures;
  };
  const measured: ApproachFigures[] = [];
  for (const approach of wanted) measured.push(await measure(approach));
  return { plan, approaches: measured };
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

export function fleetReport({ plan, approaches }: FleetFigures): Report {
  const { callee, workers, offered, line, warmUpMs, measuredMs } = plan;
  const [busy, light] = [offeredPerSecond(plan, 0), offeredPerSecond(plan, 1)];
  const window = `${callee.windowMs / 1_000} s`;
  return {
    tables: [
      {
        title: `${workers} workers and a callee that allows ${count(callee.limit)} calls in any ${window}`,
        columns: [
          "approach",
          "of the limit used",
          "answered 429",
          "light workers wait: median, ms",
          "p99, ms",
          "busy worker waits: median, ms",
          "store commands a second and process",
          "store commands per call",
          `fullest ${window}`,
        ],
        rows: approaches.map((approach) => [
          approach.name,
          percent(approach.used),
          count(approach.rejected429),
          figure(approach.lightMedianWaitMs),
          figure(approach.lightP99WaitMs),
          figure(approach.busyMedianWaitMs),
          figure(approach.commandsPerSecond),
          figure(approach.commandsPerCall),
          percent(approach.fullestWindow),
        ]),
        notes: [
          `Each worker, the callee and Redis are processes of their own. Arrivals are random (Poisson), and the same for all approaches: ${figure(busy)} a second at the busy worker, ${figure(light)} at each of the others. Together that is ${percent(offered)} of the limit. At most ${line} calls wait at a worker, and further ones are turned away.`,
          `The callee counts and decides, with the instant of every call it accepted. Measured for ${measuredMs / 1_000} s after ${warmUpMs / 1_000} s; 429s and the fullest window are of the whole run. A wait is from arrival to call.`,
          "Store commands are those that clients send, by Redis's own counters; commands that scripts call are left out.",
          ...approaches.map(
            ({ name, version, settings }) => `${name}${version === null ? "" : ` ${version}`}: ${settings}.`,
          ),
          `The machine's load at the end of each: ${approaches.map(({ load }) => load.toFixed(1)).join(", ")}.`,
        ],
      },
    ],
    targets: approaches
      .filter(({ name }) => name === "demand")
      .flatMap(({ name, used, rejected429, lightMedianWaitMs, commandsPerSecond, commandsPerCall }) => [
        atMost(`${name}: of the limit not used`, 1 - used, 0.04),
        atMost(`${name}: calls answered 429`, commandsPerCall === null ? null : rejected429, 0),
        atMost(`${name}: median wait of the light workers, ms`, lightMedianWaitMs, 500),
        atMost(`${name}: store commands a second and process`, commandsPerSecond, 2),
      ]),
  };
}

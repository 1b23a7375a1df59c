import type { Benchmark, RunOptions } from "../benchmark.ts";
import { approaches } from "./approaches.ts";
import { fleetReport } from "./fleet-report.ts";
import type { FleetPlan } from "./plan.ts";
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
async function run({ rounds, quick, only, progress }: RunOptions): Promise<FleetFigures> {
  const windowMs = quick ? 1_000 : 60_000;
  const plan: FleetPlan = {
    callee: { limit: windowMs / 10, windowMs },
    ...LOAD,
    warmUpMs: quick ? 1_000 : 30_000,
    measuredMs: (rounds ?? 2) * windowMs,
  };
  const wanted = approaches.filter(({ name }) => only === undefined || only === name);
  const measure = async (approach: (typeof approaches)[number]): Promise<ApproachFigures> => {
    progress(`${approach.name}: ${(plan.warmUpMs + plan.measuredMs) / 1_000} s; ${approach.settings(plan.callee)}`);
    const figures = await runApproach(approach, plan);
    const { used, rejected429, lightMedianWaitMs } = figures;
    progress(
      `${approach.name}: ${(100 * used).toFixed(1)} % used, ${rejected429} refused, light workers wait ${lightMedianWaitMs.toFixed(0)} ms`,
    );
    return figures;
  };
  const measured: ApproachFigures[] = [];
  for (const approach of wanted) measured.push(await measure(approach));
  return { plan, approaches: measured };
}

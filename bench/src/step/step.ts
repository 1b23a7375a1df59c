import { startPostgres, startRedis } from "@dt-tooling/backends";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { FleetProcess } from "../fleet/child-process.ts";
import { median, quantile } from "../statistics.ts";
import type { MemberSettings, Others, Step, StepPlan, StepStore } from "./plan.ts";
import { stepReport } from "./step-report.ts";

export interface Times {
  readonly median: number;
  readonly p99: number;
}

/** What came of all steps on one store, in milliseconds. */
export interface StepFigures {
  readonly store: StepStore["kind"];
  readonly others: Others;
  readonly steps: number;
  readonly firstToken: Times;
  readonly fairPart: Times;
  /** Steps without a token, or without nine tenths of the fair part, while it asked. */
  readonly missed: number;
}

export interface StepBenchFigures {
  readonly plan: StepPlan;
  readonly stores: readonly StepFigures[];
}

const OTHERS: readonly Others[] = ["idle", "saturated"];
const SECONDS_TO_START = 60;

export const step: Benchmark<StepBenchFigures> = {
  name: "step",
  summary:
    "an idle member begins to ask: how soon it has its first token, and its fair part, where shares follow demand",
  run,
  report: stepReport,
};

/** `rounds` is the number of steps. Both stores at once, since the fleets mostly wait. */
async function run({ rounds, quick, progress }: RunOptions): Promise<StepBenchFigures> {
  const steps = rounds ?? (quick ? 1 : 20);
  const idleMs = quick ? 1_000 : 6_000;
  const plan: StepPlan = { members: 5, fleets: quick ? 1 : 5, max: 100, asks: 60, idleMs, askMs: 6_000, steps };
  const [redis, postgres] = await Promise.all([startRedis({ control: true }), startPostgres({ control: true })]);
  try {
    const stores: readonly StepStore[] = [
      { kind: "redis", url: redis.url },
      { kind: "postgres", url: postgres.url },
    ];
    const measured: StepFigures[] = [];
    for (const others of OTHERS) {
      progress(`others ${others}: ${steps} steps of ${(plan.idleMs + plan.askMs) / 1_000} s`);
      measured.push(...(await Promise.all(stores.map((store) => measure(store, plan, others)))));
    }
    return { plan, stores: measured };
  } finally {
    await Promise.all([redis.stop(), postgres.stop()]);
  }
}

async function measure(store: StepStore, plan: StepPlan, others: Others): Promise<StepFigures> {
  const fleets: FleetProcess[][] = [];
  try {
    // One after the other: processes that all start at once keep each other from starting in time.
    for (let fleet = 0; fleet < plan.fleets; fleet++) {
      fleets.push(startFleet({ group: `${others}-${fleet}`, store, plan }, others));
      await Promise.all((fleets[fleet] as FleetProcess[]).map((member) => member.hear(1_000 * SECONDS_TO_START)));
    }
    const steps = (
      await Promise.all(fleets.map(([stepping]) => stepsOf(stepping as FleetProcess, plan, others)))
    ).flat();
    return {
      store: store.kind,
      others,
      steps: steps.length,
      firstToken: timesOf(steps.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
      fairPart: timesOf(steps.flatMap(({ fairPartMs }) => fairPartMs ?? [])),
      missed: steps.filter(({ fairPartMs }) => fairPartMs === null).length,
    };
  } finally {
    await Promise.all(fleets.flat().map((member) => member.stop()));
  }
}

/** The member whose steps are measured comes first. */
function startFleet(common: Omit<MemberSettings, "role">, others: Others): FleetProcess[] {
  return Array.from({ length: common.plan.members }, (_, member) => {
    const settings: MemberSettings = { ...common, role: member === 0 ? "steps" : others };
    return new FleetProcess("../step/member.ts", [JSON.stringify(settings)]);
  });
}

function stepsOf(stepping: FleetProcess, plan: StepPlan, others: Others): Promise<readonly Step[]> {
  stepping.tell({ others });
  return stepping.hear(plan.steps * (plan.idleMs + plan.askMs + 3_000) + 30_000);
}

/** Not a number where there was nothing to measure, which misses every target. */
function timesOf(values: readonly number[]): Times {
  if (values.length === 0) return { median: Number.NaN, p99: Number.NaN };
  return { median: median(values), p99: quantile(values, 0.99) };
}

import type { Benchmark, RunOptions } from "../benchmark.ts";
import { longEnough } from "../long-enough.ts";
import { figure, figures } from "../report/format.ts";
import { atMost, type Report, type Table } from "../report/report.ts";
import { approaches } from "./approaches.ts";
import type { Load, Times } from "./plan.ts";
import { type ApproachFigures, runApproach } from "./run-approach.ts";

export interface LoadFigures {
  readonly load: Load;
  readonly approaches: readonly ApproachFigures[];
}

export interface SemaphoreFigures {
  readonly times: Times;
  readonly loads: readonly LoadFigures[];
}

const LOADS: readonly Load[] = [
  {
    name: "five busy processes and five that make a call now and then",
    max: 40,
    callers: [20, 20, 20, 20, 20, 0, 0, 0, 0, 0],
    holdMs: 100,
    lightEveryMs: 2_000,
  },
  {
    name: "fewer slots than processes, all of them busy",
    max: 5,
    callers: Array<number>(10).fill(4),
    holdMs: 100,
    lightEveryMs: 2_000,
  },
];

export const semaphore: Benchmark<SemaphoreFigures> = {
  name: "semaphore",
  summary: "calls in flight of a fleet of processes, counted by the callee, kept within a maximum in four ways",
  parts: approaches.map(({ name }) => name),
  run,
  report,
  merge: (kept, fresh) => ({
    ...kept,
    loads: kept.loads.map((before, at) => ({ ...before, approaches: merged(before, fresh.loads[at]) })),
  }),
};

function merged(kept: LoadFigures, fresh: LoadFigures | undefined): readonly ApproachFigures[] {
  const named = (figures: LoadFigures | undefined, name: string): ApproachFigures | undefined =>
    figures?.approaches.find((one) => one.name === name);
  return approaches.flatMap(({ name }) => named(fresh, name) ?? named(kept, name) ?? []);
}

/** `rounds` is how often 20 s are measured. */
async function run(options: RunOptions): Promise<SemaphoreFigures> {
  if (!options.quick) return measure(LOADS, { warmUpMs: 5_000, measuredMs: (options.rounds ?? 1) * 20_000 }, options);
  const loads = LOADS.map((load) => ({ ...load, lightEveryMs: 200 }));
  return longEnough((factor) => measure(loads, { warmUpMs: 500, measuredMs: factor * 1_000 }, options), isMeasured);
}

/** Whether calls of every kind began with every approach, and its store was asked. */
function isMeasured({ loads }: SemaphoreFigures): boolean {
  return loads.every(({ load, approaches: measured }) =>
    measured.every(
      ({ requestsPerCall, busyWaitMs, lightWaitMs }) =>
        (requestsPerCall ?? 0) > 0 && busyWaitMs !== null && (lightWaitMs !== null || !load.callers.includes(0)),
    ),
  );
}

async function measure(
  asked: readonly Load[],
  times: Times,
  { only, progress }: RunOptions,
): Promise<SemaphoreFigures> {
  const wanted = approaches.filter(({ name }) => only === undefined || only === name);
  const loads: LoadFigures[] = [];
  for (const load of asked) {
    const measured: ApproachFigures[] = [];
    for (const approach of wanted) {
      progress(`${load.name}: ${approach.name}, ${(times.warmUpMs + times.measuredMs) / 1_000} s`);
      const figures = await runApproach(approach, load, times);
      progress(`${approach.name}: ${(100 * figures.used).toFixed(1)} % used, ${figures.most} in flight at most`);
      measured.push(figures);
    }
    loads.push({ load, approaches: measured });
  }
  return { times, loads };
}

function report({ times, loads }: SemaphoreFigures): Report {
  return {
    tables: loads.map((figures) => table(figures, times)),
    targets: loads.flatMap(({ load, approaches: measured }) =>
      measured
        .filter(({ version }) => version === null)
        .flatMap(({ name, most, requestsPerCall }) => [
          atMost(`${name}, max ${load.max}: most in flight`, most > 0 ? most : null, load.max),
          atMost(`${name}, max ${load.max}: requests to the store per call`, requestsPerCall, 1),
        ]),
    ),
  };
}

function table({ load, approaches: measured }: LoadFigures, { warmUpMs, measuredMs }: Times): Table {
  return {
    title: `At most ${load.max} calls in flight: ${load.name}`,
    columns: [
      "approach",
      "in flight, of the maximum",
      "most in flight",
      "requests to the store per call",
      "busy processes wait: p50, p99, ms",
      "light processes wait: p50, p99, ms",
    ],
    rows: measured.map(({ name, used, most, requestsPerCall, busyWaitMs, lightWaitMs }) => [
      name,
      `${(100 * used).toFixed(1)} %`,
      String(most),
      figure(requestsPerCall),
      figures(busyWaitMs),
      figures(lightWaitMs),
    ]),
    notes: [
      `Each process, the callee and the store's server are processes of their own. A call takes ${load.holdMs} ms, give or take a fifth. The callee counts the calls in flight; what a slot is without a call, on the way to the callee and between two calls, is not used. Measured for ${measuredMs / 1_000} s after ${warmUpMs / 1_000} s.`,
      `Callers that always want a slot, by process: ${load.callers.join(", ")}.${load.callers.includes(0) ? ` A process without makes a call every ${load.lightEveryMs / 1_000} s on average.` : ""} A wait is from asking to the begin of the call.`,
      ...measured.map(({ name, version, settings }) => `${name}${version === null ? "" : ` ${version}`}: ${settings}.`),
      `The machine's load at the end of each: ${measured.map(({ load: atEnd }) => atEnd.toFixed(1)).join(", ")}.`,
    ],
  };
}

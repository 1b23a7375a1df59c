import type { Benchmark, RunOptions } from "../benchmark.ts";
import { interleaved } from "../interleaved.ts";
import { longEnough } from "../long-enough.ts";
import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report, type Target } from "../report/report.ts";
import { median, type Percentiles, quotient } from "../statistics.ts";
import { type Approach, approaches } from "./approaches.ts";
import { type MemoryFigures, measureMemory } from "./memory.ts";
import type { KeysPlan, Part } from "./plan.ts";
import { type ApproachFigures, type PartFigures, runApproach, versionOf } from "./run-approach.ts";

export interface MeasuredApproach {
  readonly name: string;
  readonly version: string | null;
  readonly settings: string;
  /** One for each round. */
  readonly rounds: readonly ApproachFigures[];
  readonly memory: MemoryFigures;
}

export interface KeysFigures {
  readonly plan: KeysPlan;
  readonly approaches: readonly MeasuredApproach[];
}

const PLAN: KeysPlan = {
  ...{ tenants: 10_000, perSecond: 5, processes: 3, othersPerSecond: 300, hotPerSecond: 20, noisyPerSecond: 200 },
  ...{ warmUpMs: 3_000, measuredMs: 20_000, calmMs: 5_000, memoryKeys: 1_000_000 },
};

const QUICK: KeysPlan = { ...PLAN, tenants: 1_000, warmUpMs: 500, measuredMs: 1_000, calmMs: 2_500, memoryKeys: 2_000 };

export const keys: Benchmark<KeysFigures> = {
  name: "keys",
  summary: "a limit for each of 10,000 tenants over three processes, in two ways: requests, times, memory",
  parts: approaches.map(({ name }) => name),
  run,
  report,
  merge: (kept, fresh) => ({
    ...kept,
    approaches: approaches.flatMap(({ name }) => {
      const isIt = (measured: MeasuredApproach): boolean => measured.name === name;
      return fresh.approaches.find(isIt) ?? kept.approaches.find(isIt) ?? [];
    }),
  }),
};

async function run(options: RunOptions): Promise<KeysFigures> {
  return options.quick
    ? longEnough((factor) => measureAll({ ...QUICK, measuredMs: factor * QUICK.measuredMs }, 1, options), isMeasured)
    : measureAll(PLAN, options.rounds ?? 3, options);
}

/** Whether tenants of both kinds asked in each part. */
function isMeasured({ approaches: measured }: KeysFigures): boolean {
  return measured.every(({ rounds }) =>
    rounds.every(({ parts }) => parts.quiet.othersMs !== null && parts.loaded.hotMs !== null && parts.noisy.othersMs),
  );
}

async function measureAll(plan: KeysPlan, rounds: number, { only, progress }: RunOptions): Promise<KeysFigures> {
  const wanted = approaches.filter(({ name }) => only === undefined || only === name);
  const measured = await interleaved(wanted, rounds, async (approach: Approach) => {
    progress(`${approach.name}: three parts of ${(plan.warmUpMs + plan.measuredMs) / 1_000} s`);
    const figures = await runApproach(approach, plan);
    const { commandsPerDecision, othersMs, hotPerSecond } = figures.parts.loaded;
    progress(
      `${approach.name}: ${figure(commandsPerDecision)} commands for each decision, others take ${othersMs?.map(figure).join(", ")} ms, hot tenants get ${hotPerSecond.map(figure).join(" and ")} a second`,
    );
    return figures;
  });
  const all: MeasuredApproach[] = [];
  for (const [index, approach] of wanted.entries()) {
    progress(`${approach.name}: ${count(plan.memoryKeys)} keys, once each`);
    all.push({
      ...{ name: approach.name, version: versionOf(approach), settings: approach.settings(plan) },
      ...{ rounds: measured[index] ?? [], memory: await measureMemory(approach, plan) },
    });
  }
  return { plan, approaches: all };
}

function report({ plan, approaches: measured }: KeysFigures): Report {
  const own = measured.find(({ version }) => version === null);
  const other = measured.find(({ version }) => version !== null);
  return {
    tables: [timesOf(plan, measured), memoryOf(measured)],
    targets: own ? targetsOf(own, other) : [],
  };
}

const middle = ({ rounds }: MeasuredApproach, part: Part, of: (figures: PartFigures) => number | null): number | null =>
  median(rounds.flatMap(({ parts }) => of(parts[part]) ?? []));

const at =
  (kind: "othersMs" | "hotMs", place: 0 | 1) =>
  (figures: PartFigures): number | null =>
    (figures[kind] as Percentiles | null)?.[place] ?? null;

const worst = ({ rounds }: MeasuredApproach, of: (figures: PartFigures) => readonly number[]): number =>
  Math.max(...rounds.flatMap(({ parts }) => [...of(parts.loaded), ...of(parts.noisy)]));

function timesOf(plan: KeysPlan, measured: readonly MeasuredApproach[]): Report["tables"][number] {
  const { tenants, perSecond, processes, othersPerSecond, hotPerSecond, noisyPerSecond, warmUpMs, measuredMs } = plan;
  return {
    title: `${count(tenants)} tenants with ${perSecond}/s each, over ${processes} processes on one Redis`,
    columns: [
      "approach",
      "commands a second, idle",
      "loaded",
      "for each decision",
      "others: p50, p99, ms",
      "beside a noisy one: p99, ms",
      "hot ones: p50, p99, ms",
      "hot ones get a second: sticky, spread",
      "most over the burst in 980 ms",
    ],
    rows: measured.map((approach) => [
      approach.name,
      figure(median(approach.rounds.map(({ idleCommandsPerSecond }) => idleCommandsPerSecond))),
      figure(middle(approach, "loaded", ({ commandsPerSecond }) => commandsPerSecond)),
      figure(middle(approach, "loaded", ({ commandsPerDecision }) => commandsPerDecision)),
      ([0, 1] as const).map((place) => figure(middle(approach, "loaded", at("othersMs", place)))).join(", "),
      figure(middle(approach, "noisy", at("othersMs", 1))),
      ([0, 1] as const).map((place) => figure(middle(approach, "loaded", at("hotMs", place)))).join(", "),
      [0, 1]
        .map((place) => figure(middle(approach, "loaded", (figures) => figures.hotPerSecond[place] ?? null)))
        .join(", "),
      figure(worst(approach, ({ hotWorst }) => hotWorst)),
    ]),
    notes: [
      `Each process and Redis are processes of their own. Tenants ask at random times: ${othersPerSecond} a second over all but the hot ones, by Zipf's law. Two hot ones ask ${hotPerSecond} times a second each: the sticky one at one process, the spread one at all. The noisy one asks ${noisyPerSecond} times a second at one process. A decision is timed from asking to its answer.`,
      `Measured for ${measuredMs / 1_000} s after ${warmUpMs / 1_000} s, each part. The number of interleaved rounds is ${measured[0]?.rounds.length ?? 0}: their medians, and the most of all in the last column. A bucket of ${perSecond} that comes back at ${perSecond}/s has at most ${perSecond} more than the burst in a second. A fixed window may have as many at its end, and again at the beginning of the next one.`,
      ...measured.map(({ name, version, settings }) => `${name}${version === null ? "" : ` ${version}`}: ${settings}.`),
      `The machine's load at the end of each: ${measured.flatMap(({ rounds }) => rounds.map(({ load }) => load.toFixed(1))).join(", ")}.`,
    ],
  };
}

function memoryOf(measured: readonly MeasuredApproach[]): Report["tables"][number] {
  const megabytes = (bytes: number): string => figure(bytes / 1e6);
  return {
    title: `Memory: ${count(measured[0]?.memory.keys ?? 0)} keys, used once each by one process`,
    columns: [
      "approach",
      "keys a second",
      "keys in Redis at most",
      "bytes in Redis for each",
      "MB in Redis: at most, a minute after",
      "keys in Redis then",
      "MB of heap: at most, a minute after",
    ],
    rows: measured.map(({ name, memory }) => [
      name,
      count(memory.keysPerSecond),
      count(memory.mostKeysInRedis),
      count(memory.bytesPerKeyInRedis),
      `${megabytes(memory.mostInRedis)}, ${megabytes(memory.leftInRedis)}`,
      count(memory.keysLeftInRedis),
      `${megabytes(memory.mostInHeap)}, ${megabytes(memory.leftInHeap)}`,
    ]),
    notes: ["Beyond what Redis and the process had before. The heap is looked at after a collection."],
  };
}

function targetsOf(own: MeasuredApproach, other: MeasuredApproach | undefined): Target[] {
  const quotientOf = (part: Part, place: 0 | 1): number | null =>
    other ? quotient(middle(own, part, at("othersMs", place)), middle(other, part, at("othersMs", place))) : null;
  const noise = quotient(middle(own, "noisy", at("othersMs", 1)), middle(own, "loaded", at("othersMs", 1)));
  return [
    atMost("commands a second, idle", median(own.rounds.map((round) => round.idleCommandsPerSecond)), 0),
    atMost(
      "commands for each decision",
      middle(own, "loaded", ({ commandsPerDecision }) => commandsPerDecision),
      1,
    ),
    ...(other
      ? [
          atMost(
            `p50 of a decision, of ${other.name}'s (${ratio(quotientOf("loaded", 0))})`,
            quotientOf("loaded", 0),
            1,
          ),
          atMost(
            `p99 of a decision, of ${other.name}'s (${ratio(quotientOf("loaded", 1))})`,
            quotientOf("loaded", 1),
            1,
          ),
        ]
      : []),
    atMost("p99 of the others beside a noisy tenant, of that without", noise, 1.1),
    atMost(
      "most of a hot tenant over the burst in 980 ms",
      worst(own, ({ hotWorst }) => hotWorst),
      5,
    ),
    atMost("bytes in Redis for each key", own.memory.bytesPerKeyInRedis, 1_000),
    atMost("keys left in Redis", own.memory.keysLeftInRedis, 0),
  ];
}

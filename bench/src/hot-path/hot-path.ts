import type { Benchmark, RunOptions } from "../benchmark.ts";
import { count, figure, ratio } from "../report/format.ts";
import { atMost, below, type Report, type Table, type Target } from "../report/report.ts";
import { dtAwaited, dtSlot, dtSynchronous } from "./candidates/dt.ts";
import { settledAwait } from "./candidates/floors.ts";
import { awaitedCandidates, synchronousCandidates } from "./candidates.ts";
import { type CandidateFigures, type Comparison, compare } from "./comparison.ts";
import { countStoreCommands, type StoreCommandFigures, type Stretch } from "./store-commands.ts";

/** What one grant costs. */
export interface HotPathFigures {
  readonly synchronous: Comparison;
  readonly awaited: Comparison;
  readonly storeCommands: StoreCommandFigures;
}

export const hotPath: Benchmark<HotPathFigures> = {
  name: "hot-path",
  summary: "what one grant costs in time and memory, beside other limiters, a clock read and an empty await",
  run,
  report: hotPathReport,
};

async function run(options: RunOptions): Promise<HotPathFigures> {
  const synchronous = await compare(
    { kind: "synchronous", candidates: synchronousCandidates, iterations: 100_000, memoryOperations: 10_000_000 },
    options,
  );
  const awaited = await compare(
    { kind: "awaited", candidates: awaitedCandidates, iterations: 30_000, memoryOperations: 300_000 },
    options,
  );
  return { synchronous, awaited, storeCommands: await countStoreCommands(options) };
}

export function hotPathReport({ synchronous, awaited, storeCommands }: HotPathFigures): Report {
  return {
    tables: [
      comparisonTable("Granted at once (`tryAcquire`)", synchronous),
      comparisonTable("Granted by a promise (`await acquire()`)", awaited),
      storeCommandTable(storeCommands),
    ],
    targets: [...synchronousTargets(synchronous), ...awaitedTargets(awaited), storeCommandTarget(storeCommands)],
  };
}

/** A comparison as a table. */
export function comparisonTable(title: string, comparison: Comparison): Table {
  const { floor, rounds, batchesPerRound, realTime, cpuShare, candidates } = comparison;
  return {
    title,
    columns: ["candidate", "ns/op", "min", "max", `/ ${floor}`, "bytes/op"],
    rows: candidates.map(({ name, package: origin, nsPerOp, ratio: ratios, bytesPerOp }) => [
      origin === null ? name : `${name} (${origin.slice(origin.lastIndexOf(" ") + 1)})`,
      ...[nsPerOp.median, nsPerOp.min, nsPerOp.max].map(figure),
      ratio(ratios.median),
      bytesPerOp === null ? "-" : figure(bytesPerOp),
    ]),
    notes: [
      `Medians of ${rounds} interleaved rounds. In a round every candidate runs in a fresh process${realTime ? " at real-time priority" : ""}: a warm-up, and ${batchesPerRound} batches of ${count(
        candidates[0]?.iterations ?? 0,
      )} operations. A note on a candidate names a smaller number. Its figure is the lower quartile of the batches.`,
      `The ratio is taken within the round. The first candidate had ${figure(Math.min(1, cpuShare.median) * 100)} % of a processor. A figure well below 100 shows that other programs disturbed the run.`,
      ...candidates.map(({ name, configuration }) => `${name}: ${configuration}.`),
    ],
  };
}

function synchronousTargets({ floor, candidates }: Comparison): Target[] {
  const own = ours(candidates, dtSynchronous);
  const peers = candidates.filter(
    ({ keepsTime, package: origin }) => keepsTime && origin !== null && !origin.startsWith("@dt/"),
  );
  const slots = ours(candidates, [dtSlot]).map(({ name, ratio }) => atMost(`${name} / ${floor}`, ratio.median, 3));
  const tokens = own.flatMap(({ name, ratio, nsPerOp, bytesPerOp }) => [
    atMost(`${name} / ${floor}`, ratio.median, 1.25),
    ...peers.map((peer) => below(`${name} / ${peer.name}`, nsPerOp.median / peer.nsPerOp.median, 1)),
    // The smallest object has 12 bytes or more: a tenth of a byte is one object in a hundred grants, the work of epochs
    // and syncs.
    atMost(`${name}: heap bytes per grant`, bytesPerOp ?? Number.NaN, 0.1),
  ]);
  return [...tokens, ...slots];
}

function awaitedTargets({ floor, candidates }: Comparison): Target[] {
  const settled = candidates.find(({ name }) => name === settledAwait.name)?.bytesPerOp ?? Number.NaN;
  return ours(candidates, dtAwaited).flatMap(({ name, ratio, bytesPerOp }) => [
    atMost(`${name} / ${floor}`, ratio.median, 1.5),
    atMost(`${name}: heap bytes per grant beyond ${settledAwait.name}`, (bytesPerOp ?? Number.NaN) - settled, 1),
  ]);
}

function storeCommandTable({ configuration, idle, granting }: StoreCommandFigures): Table {
  const row = (what: string, { seconds, grants, scripts, commands }: Stretch): string[] => [
    what,
    count(seconds),
    count(grants),
    count(scripts),
    count(Object.values(commands).reduce((sum, calls) => sum + calls, 0)),
    grants === 0 ? "-" : figure((scripts / grants) * 1e6),
  ];
  return {
    title: "What a grant asks of the store",
    columns: ["throttle", "seconds", "grants", "syncs", "commands inside", "syncs per million grants"],
    rows: [row("idle", idle), row("granting", granting)],
    notes: [
      `${configuration}. Counted by Redis (INFO commandstats): a sync is one script; commands inside are those that scripts call, and the scripts.`,
      "A throttle that grants nothing syncs just as often: a grant costs the store nothing.",
    ],
  };
}

function storeCommandTarget({ idle, granting }: StoreCommandFigures): Target {
  // Both stretches may begin just before or just after a sync.
  return atMost("syncs while granting beyond those while idle", granting.scripts - idle.scripts, 1);
}

function ours(candidates: readonly CandidateFigures[], own: readonly { readonly name: string }[]): CandidateFigures[] {
  return candidates.filter(({ name }) => own.some((candidate) => candidate.name === name));
}

import type { Benchmark, RunOptions } from "../benchmark.ts";
import { interleaved } from "../interleaved.ts";
import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { type Spread, spread } from "../statistics.ts";
import type { BenchStore, StartedStore } from "../stores/bench-store.ts";
import { memory } from "../stores/memory.ts";
import { redis } from "../stores/redis.ts";
import { sqlite } from "../stores/sqlite.ts";
import { BenchGroup } from "./bench-group.ts";

/** What one sync costs in a group of a given size. */
export interface SizeFigures {
  readonly members: number;
  /** As its caller sees it, in microseconds. */
  readonly usPerSync: Spread;
  /** Against the smallest group of the same round. */
  readonly growth: Spread;
  /** The server's own count, in microseconds; null without a server. */
  readonly serverUsPerSync: number | null;
}

export interface StoreFigures {
  readonly name: string;
  readonly configuration: string;
  readonly syncsPerRound: number;
  readonly sizes: readonly SizeFigures[];
}

/** The cost of a sync as groups grow. */
export interface SyncFigures {
  readonly rounds: number;
  readonly stores: readonly StoreFigures[];
}

const stores: readonly BenchStore[] = [memory, sqlite, redis];
const defaultRounds = 15;

export const sync: Benchmark<SyncFigures> = {
  name: "sync",
  summary: "what one sync costs in a group of 10, 100, 1,000 and 10,000 members, for each store",
  run,
  report: syncReport,
};

async function run(options: RunOptions): Promise<SyncFigures> {
  const rounds = options.rounds ?? (options.quick ? 1 : defaultRounds);
  const sizes = options.quick ? [5, 10] : [10, 100, 1_000, 10_000];
  const figures: StoreFigures[] = [];
  for (const candidate of stores) {
    const { name, callsPerRound } = candidate;
    const syncsPerRound = options.quick ? 20 : callsPerRound;
    options.progress(`${name}: starting`);
    const started = await candidate.start();
    try {
      const measured = await measure(name, started, sizes, rounds, syncsPerRound, options.progress);
      figures.push({ name, configuration: started.configuration, syncsPerRound, sizes: measured });
    } finally {
      await started.stop();
    }
  }
  return { rounds, stores: figures };
}

async function measure(
  name: string,
  { store, serverUs }: StartedStore,
  sizes: readonly number[],
  rounds: number,
  syncsPerRound: number,
  progress: (line: string) => void,
): Promise<SizeFigures[]> {
  const groups: BenchGroup[] = [];
  for (const size of sizes) {
    progress(`${name}: a group of ${size}`);
    groups.push(await BenchGroup.populated(store, `group-of-${size}`, size));
  }
  for (const group of groups) await group.sync(syncsPerRound);
  const measurements = await interleaved(groups, rounds, async (group) => {
    const serverBefore = await serverUs?.();
    const startMs = performance.now();
    await group.sync(syncsPerRound);
    const us = ((performance.now() - startMs) * 1_000) / syncsPerRound;
    const serverAfter = await serverUs?.();
    return { us, serverUs: ((serverAfter ?? Number.NaN) - (serverBefore ?? Number.NaN)) / syncsPerRound };
  });
  const smallest = measurements[0] ?? [];
  return sizes.map((members, i): SizeFigures => {
    const own = measurements[i] ?? [];
    const server = spread(own.map((measurement) => measurement.serverUs)).median;
    return {
      members,
      usPerSync: spread(own.map(({ us }) => us)),
      growth: spread(own.map(({ us }, round) => us / (smallest[round]?.us ?? Number.NaN))),
      serverUsPerSync: Number.isNaN(server) ? null : server,
    };
  });
}

export function syncReport({ rounds, stores }: SyncFigures): Report {
  return {
    tables: stores.map(({ name, configuration, syncsPerRound, sizes }) => ({
      title: `One sync with the ${name} store`,
      columns: ["members", "µs/sync", "min", "max", `/ ${count(sizes[0]?.members ?? 0)} members`, "µs in the server"],
      rows: sizes.map(({ members, usPerSync, growth, serverUsPerSync }) => [
        count(members),
        ...[usPerSync.median, usPerSync.min, usPerSync.max].map(figure),
        ratio(growth.median),
        serverUsPerSync === null ? "-" : figure(serverUsPerSync),
      ]),
      notes: [
        `${configuration}.`,
        `Medians of ${rounds} rounds, sizes interleaved. A round is ${count(syncsPerRound)} syncs one after the other, each by another member. All members agree, and none joins or leaves.`,
      ],
    })),
    targets: stores.map(({ name, sizes }) => {
      const [smallest, largest] = [sizes[0], sizes.at(-1)];
      if (smallest === undefined || largest === undefined) throw new Error(`${name} was measured with no group`);
      const what = `${name}: growth of a sync from ${count(smallest.members)} to ${count(largest.members)} members, log n at most`;
      return atMost(what, largest.growth.median, Math.log(largest.members) / Math.log(smallest.members));
    }),
  };
}

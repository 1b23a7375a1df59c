import { join } from "node:path";
import type { RunOptions } from "../benchmark.ts";
import { runChild } from "../child.ts";
import { interleaved } from "../interleaved.ts";
import { packageVersion } from "../package-version.ts";
import { realTimePrefix } from "../real-time.ts";
import { type Spread, spread } from "../statistics.ts";
import type { AwaitedCandidate, SynchronousCandidate } from "./candidate.ts";
import type { MemoryMeasurement, Plan, TimeMeasurement } from "./measure-candidate.ts";

/** What one candidate costs. */
export interface CandidateFigures {
  readonly name: string;
  /** Name and version; null for what Node itself has. */
  readonly package: string | null;
  readonly keepsTime: boolean;
  readonly configuration: string;
  /** Operations in a batch. */
  readonly iterations: number;
  readonly nsPerOp: Spread;
  /** Against the floor of the same round. */
  readonly ratio: Spread;
  /**
   * Heap bytes per operation, counted over `memoryOperations`, the least of some runs; null when a garbage collection
   * came in between in each.
   */
  readonly bytesPerOp: number | null;
  readonly memoryOperations: number;
}

/** Candidates measured against each other and against a floor, all in one run. */
export interface Comparison {
  /** Name of the candidate that the ratios refer to. */
  readonly floor: string;
  readonly rounds: number;
  readonly batchesPerRound: number;
  /** Whether the processes had real-time priority: no ordinary process could interrupt them. */
  readonly realTime: boolean;
  /**
   * The part of its rounds in which the floor, which never waits, had the processor. Below 1, other processes disturbed
   * the measurement.
   */
  readonly cpuShare: Spread;
  readonly candidates: readonly CandidateFigures[];
}

export interface ComparisonPlan {
  readonly kind: "synchronous" | "awaited";
  /** The first is the floor. */
  readonly candidates: readonly (SynchronousCandidate | AwaitedCandidate)[];
  /** Operations in a batch, and for counting memory, unless the candidate says otherwise. */
  readonly iterations: number;
  readonly memoryOperations: number;
}

const script = join(import.meta.dirname, "measure-candidate.ts");
const defaultRounds = 7;
const batchesPerRound = 50;

/**
 * What V8 takes for itself meanwhile, up to two megabytes, is counted as well in about one run of five, and only ever
 * adds: the least is what the operations allocate.
 */
const memoryRuns = 3;

/** A new space of half a gigabyte: what is allocated while counting stays there, uncollected, and can be counted. */
const memoryFlags = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];

/** Measures all candidates, each in a fresh process in each round. */
export async function compare(plan: ComparisonPlan, options: RunOptions): Promise<Comparison> {
  const { kind, candidates } = plan;
  const rounds = options.rounds ?? (options.quick ? 1 : defaultRounds);
  const batches = options.quick ? 2 : batchesPerRound;
  const sized = (operations: number): number => (options.quick ? Math.ceil(operations / 100) : operations);
  const child = <M>(name: string, childPlan: Plan, flags: readonly string[]): Promise<M> =>
    runChild<M>({ script, args: [kind, name, JSON.stringify(childPlan)], flags });

  const times = await interleaved(candidates, rounds, ({ name, iterations: own }, round) => {
    options.progress(`round ${round + 1} of ${rounds}, ${kind}: ${name}`);
    const iterations = sized(own ?? plan.iterations);
    return child<TimeMeasurement>(name, { what: "time", batches, iterations, warmUp: 10 * iterations }, []);
  });
  // A quick run counts memory for the first two, to show that it can.
  const counted = options.quick ? candidates.slice(0, 2) : candidates;
  const memory = await interleaved(counted, options.quick ? 1 : memoryRuns, ({ name, iterations: own }) => {
    options.progress(`memory, ${kind}: ${name}`);
    const iterations = sized(own === undefined ? plan.memoryOperations : 10 * own);
    return child<MemoryMeasurement>(name, { what: "memory", batches: 1, iterations, warmUp: iterations }, memoryFlags);
  });

  const floorTimes = times[0] ?? [];
  return {
    floor: candidates[0]?.name ?? "",
    rounds,
    batchesPerRound: batches,
    realTime: (await realTimePrefix()).length > 0,
    cpuShare: spread(floorTimes.map(({ cpuShare }) => cpuShare)),
    candidates: candidates.map((candidate, i): CandidateFigures => {
      const own = times[i] ?? [];
      const allocated = memory[i] ?? [];
      const uncollected = allocated.filter(({ collections }) => collections === 0);
      return {
        name: candidate.name,
        package: candidate.package === undefined ? null : `${candidate.package} ${packageVersion(candidate.package)}`,
        keepsTime: candidate.keepsTime,
        configuration: candidate.configuration,
        iterations: sized(candidate.iterations ?? plan.iterations),
        nsPerOp: spread(own.map(({ nsPerOp }) => nsPerOp)),
        ratio: spread(own.map(({ nsPerOp }, round) => nsPerOp / (floorTimes[round]?.nsPerOp ?? Number.NaN))),
        bytesPerOp: uncollected.length === 0 ? null : Math.min(...uncollected.map(({ bytesPerOp }) => bytesPerOp)),
        memoryOperations: allocated[0]?.operations ?? 0,
      };
    }),
  };
}

import type { Benchmark, RunOptions } from "../benchmark.ts";
import { awaitedCandidates, synchronousCandidates } from "./candidates.ts";
import { type Comparison, compare } from "./comparison.ts";
import { hotPathReport } from "./hot-path-report.ts";
import { countStoreCommands, type StoreCommandFigures } from "./store-commands.ts";

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

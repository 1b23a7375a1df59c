import type { Benchmark, RunOptions } from "../benchmark.ts";
import { type Comparison, compare } from "../hot-path/comparison.ts";
import { comparisonTable } from "../hot-path/hot-path.ts";
import { atMost, type Report, type Target } from "../report/report.ts";
import { ownAwaited, ownSynchronous, slotsAtOnce, slotsAwaited } from "./candidates.ts";

/** What a slot costs that nobody else wants. */
export interface SlotFigures {
  readonly atOnce: Comparison;
  readonly awaited: Comparison;
}

export const concurrencyLimit: Benchmark<SlotFigures> = {
  name: "concurrency-limit",
  summary: "what a slot of a concurrency limit costs, taken and settled, beside limits that do not measure anything",
  run,
  report,
};

async function run(options: RunOptions): Promise<SlotFigures> {
  const atOnce = await compare(
    { kind: "synchronous", candidates: slotsAtOnce, iterations: 100_000, memoryOperations: 1_000_000 },
    options,
  );
  const awaited = await compare(
    { kind: "awaited", candidates: slotsAwaited, iterations: 30_000, memoryOperations: 200_000 },
    options,
  );
  return { atOnce, awaited };
}

function report({ atOnce, awaited }: SlotFigures): Report {
  const clockNs = atOnce.candidates[0]?.nsPerOp.median ?? Number.NaN;
  return {
    tables: [
      comparisonTable("A slot at once, and settled", atOnce),
      comparisonTable("A slot awaited, and settled", awaited),
    ],
    targets: [target(atOnce, ownSynchronous.name, clockNs), target(awaited, ownAwaited.name, clockNs)],
  };
}

/**
 * The others do not ask how long a call takes: knowing it takes two clock reads. A clock read is what it is everywhere
 * in these benchmarks, `performance.now()`.
 */
function target({ candidates }: Comparison, name: string, clockNs: number): Target {
  const own = candidates.find((candidate) => candidate.name === name)?.nsPerOp.median ?? Number.NaN;
  const peers = candidates.filter(({ package: origin }) => origin !== null && !origin.startsWith("@dt/"));
  const fastest = Math.min(...peers.map(({ nsPerOp }) => nsPerOp.median));
  return atMost(`(${name}, less two clock reads) / the fastest of the others`, (own - 2 * clockNs) / fastest, 1.5);
}

import type { Benchmark } from "./benchmark.ts";
import { hotPath } from "./hot-path/hot-path.ts";
import { sync } from "./sync/sync.ts";

/** Every benchmark there is. */
export const benchmarks: readonly Benchmark[] = [erased(hotPath), erased(sync)];

/** Forgets the type of the figures: a benchmark is only ever given figures of its own. */
function erased<Figures extends object>(benchmark: Benchmark<Figures>): Benchmark {
  return { ...benchmark, report: (figures) => benchmark.report(figures as Figures) };
}

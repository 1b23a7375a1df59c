import type { Report } from "./report/report.ts";

/** How a benchmark is run. */
export interface RunOptions {
  /** Interleaved rounds; each benchmark has its own default. */
  readonly rounds: number | undefined;
  /** A tiny run that only shows that everything works; its figures mean nothing. */
  readonly quick: boolean;
  /** Told what is being measured. */
  readonly progress: (line: string) => void;
}

/** A benchmark: measures, and describes what it measured. */
export interface Benchmark<Figures extends object = object> {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  run(options: RunOptions): Promise<Figures>;
  /** Tables and targets, made from the figures alone, so that saved results can be described again. */
  report(figures: Figures): Report;
}

import type { Report } from "./report/report.ts";

/** How a benchmark is run. */
export interface RunOptions {
  /** Interleaved rounds; each benchmark has its own default. */
  readonly rounds: number | undefined;
  /** A tiny run that only shows that everything works; its figures mean nothing. */
  readonly quick: boolean;
  /** The one part of the benchmark to measure, by name; all of them when absent. */
  readonly only: string | undefined;
  /** The command that was given, to be kept with what it measured. */
  readonly command: string;
  /** Told what is being measured. */
  readonly progress: (line: string) => void;
}

/** A benchmark: measures, and describes what it measured. */
export interface Benchmark<Figures extends object = object> {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  /** Names of parts that can be measured alone, with `--only`. */
  readonly parts?: readonly string[];
  /** File of its own in `docs/`, if it is not a section of performance.md. */
  readonly page?: string;
  run(options: RunOptions): Promise<Figures>;
  /** Tables and targets, made from the figures alone, so that saved results can be described again. */
  report(figures: Figures): Report;
  /** Figures that were kept, with those of a part measured anew in place of the old ones. Goes with `parts`. */
  merge?(kept: Figures, fresh: Figures): Figures;
}

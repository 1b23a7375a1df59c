import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import type { Target } from "./report/report.ts";

/** What `--json` prints and `--save` keeps: the figures, and all that is needed to judge and repeat them. */
export interface Result<Figures extends object = object> {
  readonly benchmark: string;
  readonly command: string;
  /** When it was measured, ISO 8601, UTC. */
  readonly date: string;
  readonly machine: Machine;
  /** True when this was a tiny run whose figures mean nothing. */
  readonly quick: boolean;
  readonly figures: Figures;
  readonly targets: readonly Target[];
  /** Whether every target was met. */
  readonly pass: boolean;
}

const folder = join(import.meta.dirname, "../results");
const fileOf = (benchmark: string): string => join(folder, `${benchmark}.json`);

/** Keeps a result in `bench/results/`; returns the file. */
export function saveResult(result: Result): string {
  mkdirSync(folder, { recursive: true });
  const file = fileOf(result.benchmark);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/** The result kept last, if any. */
export function savedResult(benchmark: string): Result | undefined {
  const file = fileOf(benchmark);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Result) : undefined;
}

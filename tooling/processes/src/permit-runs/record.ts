import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, release, type } from "node:os";
import type { RunResult } from "./evaluate.ts";
import type { Quantiles } from "./quantiles.ts";

/** A result with what it was measured on. */
export interface RunRecord {
  readonly date: string;
  readonly machine: string;
  /** Processes that wanted a processor in the last minute, those of the run included: the average when it was over. */
  readonly load: number;
  readonly result: RunResult;
}

const RESULTS = new URL("../../results/", import.meta.url);
const PAGE = new URL("../../../../docs/permits.md", import.meta.url);
const BEGIN = "<!-- runs: begin; written by `npm run -s permits -- --save` -->";
const END = "<!-- runs: end -->";

export function recordOf(result: RunResult): RunRecord {
  const cpu = cpus()[0]?.model.trim() ?? "unknown processor";
  const machine = `${cpu}, ${availableParallelism()} cores, ${type()} ${release()} ${arch()}, Node ${process.versions.node}`;
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  return { date: new Date().toISOString().slice(0, 10), machine, load, result };
}

/** Writes every committed result into the page. */
export function writeRecords(): void {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, pageWith(page, committedRecords()));
}

export function committedRecords(): RunRecord[] {
  const files = readdirSync(RESULTS).filter((name) => name.endsWith(".json"));
  return files.sort().map((name) => JSON.parse(readFileSync(new URL(name, RESULTS), "utf8")) as RunRecord);
}

/** The page with the records in place of those it had. @throws Error when it has no place for them */
export function pageWith(page: string, records: readonly RunRecord[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`docs/permits.md has no place for the runs, between ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${asMarkdown(records)}\n\n${page.slice(end)}`;
}

function asMarkdown(records: readonly RunRecord[]): string {
  const rounded = (value: number): string => String(Math.round(value * 1_000) / 1_000);
  const table = (head: readonly string[], row: (record: RunRecord) => readonly (string | number)[]): string =>
    [head, head.map(() => "---:"), ...records.map(row)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const clock = table(
    [
      "store",
      "processes",
      "permits",
      "every ms",
      "bound",
      "closest ms",
      "most ahead",
      "kept - used - wasted",
      "unused intervals",
      "per process",
      "spread %",
    ],
    ({ result: r }) => [
      r.store,
      r.processes,
      r.used,
      r.everyMs,
      r.maxReserved,
      rounded(r.closestMs),
      r.mostAhead,
      r.kept - r.used - r.wasted,
      r.unusedIntervals,
      `${r.perProcess.least} to ${r.perProcess.most}`,
      rounded(r.perProcess.spread * 100),
    ],
  );
  const heads = ["min", "1 %", "median", "90 %", "99 %", "max"];
  const cells = ({ min, p01, p50, p90, p99, max }: Quantiles): number[] => [min, p01, p50, p90, p99, max];
  const late = table(["store", ...heads], ({ result: r }) => [r.store, ...cells(r.lateMs)]);
  const arrivals = table(["store", "requests", ...heads], ({ result: r }) => [
    r.store,
    r.arrivals.requests,
    ...cells(r.arrivals.gapErrorMs),
  ]);
  const notes = records.map(
    ({ date, machine, load, result: r }) =>
      `- ${r.store}: \`npm run -s permits -- --store ${r.store} --save\`, ${date}, ${r.configuration}; ${machine}, load ${load}`,
  );
  return [
    clock,
    "How long after its instant a caller was woken, in its own process, in ms:",
    late,
    "How far the distance between two requests was from `every`, in ms, as the HTTP server saw it:",
    arrivals,
    notes.join("\n"),
  ].join("\n\n");
}

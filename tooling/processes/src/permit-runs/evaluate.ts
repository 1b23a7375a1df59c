import { type Quantiles, quantiles } from "./quantiles.ts";
import type { Arrival, RunSettings, WorkerReport } from "./settings.ts";

export interface EvaluatedRun extends RunSettings {
  readonly store: string;
  readonly configuration: string;
  readonly clockErrorMs: number;
}

/** How a run was. Times are in milliseconds. */
export interface RunResult extends EvaluatedRun {
  /** Reservations made, and permits reserved and kept by them. */
  readonly reservations: number;
  readonly kept: number;
  readonly used: number;
  readonly wasted: number;
  readonly durationMs: number;
  /** The least distance between two permits on the store's clock. */
  readonly closestMs: number;
  /** Intervals between the first and the last permit in which nobody had one. */
  readonly unusedIntervals: number;
  /** Most permits reserved ahead, by the formula of P4. */
  readonly mostAhead: number;
  readonly perProcess: {
    readonly least: number;
    readonly mean: number;
    readonly most: number;
    /** The largest distance from the mean, in parts of the mean. */
    readonly spread: number;
  };
  /** How long after their instants callers were woken, in their own processes. */
  readonly lateMs: Quantiles;
  /** What the HTTP server saw: how far the distances between requests were from `everyMs`. */
  readonly arrivals: { readonly requests: number; readonly gapErrorMs: Quantiles };
  readonly errors: readonly string[];
  /** What should not have happened, in words; empty when all is well. */
  readonly violations: readonly string[];
}

/** Sums of doubles such as 1.8e12 + i x every are exact to about a quarter of a microsecond. */
const ROUNDING_MS = 0.001;
const MOST_SPREAD = 0.1;

/** Judges a run by what its processes were answered and what the HTTP server saw. */
export function evaluate(
  reports: readonly WorkerReport[],
  arrivals: readonly Arrival[],
  settings: EvaluatedRun,
): RunResult {
  const { everyMs, maxReserved, processes, clockErrorMs } = settings;
  const reserved = reports.flatMap((report) => report.reserved);
  const instants = reserved.flatMap(({ instantsMs, kept }) => instantsMs.slice(0, kept)).sort((a, b) => a - b);
  const gaps = instants.slice(1).map((instant, i) => instant - (instants[i] as number));
  const sum = (of: (report: WorkerReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const [used, wasted] = [sum((report) => report.used), sum((report) => report.wasted)];
  const counts = reports.map((report) => report.used);
  const mean = used / processes;
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const spread = Math.max(most - mean, mean - least) / mean;
  const mostAhead = Math.max(0, ...reserved.map((reservation) => reservation.reservedAhead));
  const durationMs = (instants.at(-1) ?? 0) - (instants[0] ?? 0);
  const times = arrivals.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const gapErrors = times.slice(1).map((time, i) => time - (times[i] as number) - everyMs);
  const errors = reports.flatMap((report) => report.errors);
  const tooClose = gaps.filter((gap) => gap < everyMs - ROUNDING_MS - clockErrorMs);
  const problems: readonly (readonly [boolean, string])[] = [
    [
      tooClose.length > 0,
      `${tooClose.length} pairs of permits were closer than ${everyMs} ms: ${tooClose.slice(0, 5)}`,
    ],
    [instants.length !== used + wasted, `${instants.length} permits were kept, ${used} used and ${wasted} wasted`],
    [mostAhead > maxReserved, `${mostAhead} permits were reserved ahead; the bound is ${maxReserved}`],
    [used < settings.permits, `${used} permits were used, not ${settings.permits}`],
    [arrivals.length !== used, `${arrivals.length} requests came for ${used} permits`],
    [spread > MOST_SPREAD, `processes had ${least} to ${most} permits; even are ${mean}`],
    [errors.length > 0, `${errors.length} calls failed, such as ${errors[0]}`],
  ];
  return {
    ...settings,
    reservations: reserved.length,
    kept: instants.length,
    used,
    wasted,
    durationMs,
    closestMs: gaps.length > 0 ? Math.min(...gaps) : Number.NaN,
    unusedIntervals: Math.round(gaps.reduce((idle, gap) => idle + Math.floor(gap / everyMs + 1e-6) - 1, 0)),
    mostAhead,
    perProcess: { least, mean, most, spread },
    lateMs: quantiles(reports.flatMap((report) => report.lateMs)),
    arrivals: { requests: arrivals.length, gapErrorMs: quantiles(gapErrors) },
    errors,
    violations: problems.filter(([wrong]) => wrong).map(([, text]) => text),
  };
}

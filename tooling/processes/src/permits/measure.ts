import { grantsOf, keptInstants, type WorkerLog } from "./log.ts";
import { type Quantiles, quantiles } from "./quantiles.ts";
import type { RunSettings } from "./steady.ts";

/** How a run without faults was. Times are in milliseconds. */
export interface Measured {
  readonly reservations: number;
  readonly used: number;
  readonly durationMs: number;
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
  /** How far the distances between uses, of all processes, were from `everyMs`. */
  readonly gapErrorMs: Quantiles;
  /** What should not have happened where nothing goes wrong, in words; empty when all is well. */
  readonly violations: readonly string[];
}

const MOST_SPREAD = 0.1;

/** Measures a run without faults by what its workers wrote down; what no run may show is for the judge. */
export function measure(logs: readonly WorkerLog[], settings: RunSettings): Measured {
  const { everyMs } = settings;
  const entries = logs.flatMap((log) => log.entries);
  const answers = entries.flatMap((entry) =>
    entry.type === "answered" && entry.instantsMs.length > 0 ? [entry.reservedAhead] : [],
  );
  const failures = entries.flatMap((entry) => {
    if (entry.type === "failed") return [entry.error];
    // Whoever waits when the run ends is told so.
    if (entry.type !== "settled" || entry.outcome === "granted" || entry.outcome === "DT_STOPPED") return [];
    return [entry.outcome];
  });
  const instants = logs.flatMap(keptInstants).sort((a, b) => a - b);
  const grants = logs.flatMap(grantsOf).sort((a, b) => a.atMs - b.atMs);
  const counts = logs.map((log) => grantsOf(log).length);
  const used = grants.length;
  const mean = used / logs.length;
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const spread = Math.max(most - mean, mean - least) / mean;
  const problems: readonly (readonly [boolean, string])[] = [
    [used < settings.permits, `${used} permits were used, not ${settings.permits}`],
    [spread > MOST_SPREAD, `processes had ${least} to ${most} permits; even are ${mean}`],
    [failures.length > 0, `${failures.length} calls failed, such as ${failures[0]}`],
  ];
  return {
    reservations: answers.length,
    used,
    durationMs: (instants.at(-1) ?? 0) - (instants[0] ?? 0),
    unusedIntervals: Math.round(gapsOf(instants).reduce((idle, gap) => idle + Math.floor(gap / everyMs + 1e-6) - 1, 0)),
    mostAhead: Math.max(0, ...answers),
    perProcess: { least, mean, most, spread },
    lateMs: quantiles(grants.flatMap(({ lateMs = [] }) => lateMs)),
    gapErrorMs: quantiles(gapsOf(grants.map(({ atMs }) => atMs)).map((gap) => gap - everyMs)),
    violations: problems.filter(([wrong]) => wrong).map(([, text]) => text),
  };
}

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((time, i) => time - (times[i] as number));
}

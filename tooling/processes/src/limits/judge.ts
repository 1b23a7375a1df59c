import { BURST, type Kind } from "./settings.ts";

/** A call as it was made; times by the machine's clock, in milliseconds. */
export interface Call {
  readonly beganMs: number;
  /** Infinity while it runs. */
  readonly endedMs: number;
}

/** A limit, from when it was asked for, and when it was set. */
export interface Setting {
  readonly limit: number;
  readonly askedMs: number;
  readonly setMs: number;
  /** How long after that the limit before may still be in use: a sync, or the validity of a process that is cut off. */
  readonly graceMs: number;
}

/** When a process noticed that its timers are late, and by how much. */
export interface Lateness {
  readonly atMs: number;
  readonly byMs: number;
}

export interface Judgement {
  readonly calls: number;
  /** The most calls, as a part of what was allowed where they were made. */
  readonly most: number;
  readonly violations: readonly string[];
}

/** Calls of a kind are counted in windows of a second; those of a semaphore, where one begins. */
const WINDOW_MS = 1_000;

/** A call begins at most so much later than it was allowed to, where no process noticed more: timers, event loops. */
const LATE_MS = 50;

/**
 * The largest limit that may have been in use in a stretch: one that was set, from when it was asked for until the next
 * one has been set for so long that all know it.
 */
export function limitIn(settings: readonly Setting[], fromMs: number, toMs: number): number {
  const used = settings.filter(({ askedMs }, place) => {
    const next = settings[place + 1];
    return askedMs <= toMs && (next === undefined || next.setMs + next.graceMs >= fromMs);
  });
  return Math.max(...used.map(({ limit }) => limit));
}

/**
 * What may be there at once beyond the limit. A throttle gives a whole second's calls at any time of each second, so
 * that two seconds' calls may meet. The others spread theirs; a bucket has its burst besides.
 */
function allowed(kind: Kind, limit: number, lateMs: number): number {
  switch (kind) {
    case "semaphore":
      return limit;
    case "throttle":
      return 2 * limit;
    case "pacer":
      return limit * ((WINDOW_MS + lateMs) / WINDOW_MS) + 1;
    case "budget":
      return limit * ((WINDOW_MS + lateMs) / WINDOW_MS);
    case "keyed":
      return Math.min(BURST, limit) + limit * ((WINDOW_MS + lateMs) / WINDOW_MS);
  }
}

/** The most by which calls of a window may be late: what processes noticed then, and until shortly afterwards. */
function latestIn(late: readonly Lateness[], toMs: number): number {
  const noticed = late.filter(({ atMs, byMs }) => atMs >= toMs - WINDOW_MS && atMs - byMs <= toMs + LATE_MS);
  return LATE_MS + Math.max(0, ...noticed.map(({ byMs }) => byMs));
}

/** Goes through the calls of one kind, begin by begin. */
export function judge(
  kind: Kind,
  calls: readonly Call[],
  settings: readonly Setting[],
  late: readonly Lateness[] = [],
): Judgement {
  const sorted = [...calls].sort((a, b) => a.beganMs - b.beganMs);
  const violations: string[] = [];
  let [most, first] = [0, 0];
  for (const [index, { beganMs }] of sorted.entries()) {
    const fromMs = kind === "semaphore" ? beganMs : beganMs - WINDOW_MS;
    while ((sorted[first] as Call).beganMs <= beganMs - WINDOW_MS) first += 1;
    const inWindow = sorted.slice(first, index + 1);
    const count = kind === "semaphore" ? inFlight(sorted, index) : inWindow.length;
    const limit = limitIn(settings, fromMs, beganMs);
    const may = allowed(kind, limit, latestIn(late, beganMs));
    most = Math.max(most, count / may);
    if (count > may)
      violations.push(
        `${kind}: ${count} calls at ${beganMs.toFixed(0)} ms, where ${may.toFixed(1)} were allowed by a limit of ${limit}`,
      );
  }
  return { calls: calls.length, most, violations };
}

/** Calls that run when this one begins, with it. */
function inFlight(sorted: readonly Call[], index: number): number {
  const { beganMs } = sorted[index] as Call;
  return sorted.slice(0, index + 1).filter(({ endedMs }) => endedMs > beganMs).length;
}

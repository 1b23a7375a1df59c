/** What the service has to keep to: so many of 100 calls are answered within so long. */
export interface Objective {
  /** For example 0.99. */
  readonly quantile: number;
  readonly withinMs: number;
  /** The part of calls that may be lost: refused, failed or not answered in time. */
  readonly mayLose: number;
}

/** What one rate of calls came to, seen by whoever calls. */
export interface Step {
  /** Calls a second that were asked for. */
  readonly rate: number;
  /** Calls a second that were sent. */
  readonly offered: number;
  readonly calls: number;
  /** Calls that were not answered well, of all: 0 to 1. */
  readonly lost: number;
  /** R: calls answered well, a second. */
  readonly throughput: number;
  /** L: the mean time of a call, in milliseconds. */
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** At the objective's quantile, calls that were lost counted as never answered. Infinity when too many were lost. */
  readonly quantileMs: number;
  /** P: calls in flight, the mean over time. */
  readonly inflight: number;
  /** How late calls were sent for want of processor time here, at the objective's quantile, in milliseconds. */
  readonly lateMs: number;
  /** Why it was ended before its time. */
  readonly ended: "too many in flight" | "too many late" | undefined;
}

/** What was seen of one call; times in milliseconds from the step's beginning. */
export interface SeenCall {
  readonly dueMs: number;
  readonly sentMs: number;
  readonly endedMs: number;
  readonly ok: boolean;
}

/** Sums a step up. Calls sent in the first fifth of its time warm the service up and are left out. */
export function summarise(
  rate: number,
  all: readonly SeenCall[],
  untilMs: number,
  { quantile }: Objective,
  ended: Step["ended"],
): Step {
  const fromMs = untilMs / 5;
  const seconds = (untilMs - fromMs) / 1000;
  const calls = all.filter(({ sentMs }) => sentMs >= fromMs && sentMs < untilMs);
  const well = calls.filter(({ ok }) => ok);
  const latencies = well.map(({ sentMs, endedMs }) => endedMs - sentMs).sort(ascending);
  const lates = calls.map(({ dueMs, sentMs }) => sentMs - dueMs).sort(ascending);
  // Every call occupies the service while it lasts, also one that is lost: time in flight within the window, over the
  // window.
  const busyMs = all.reduce(
    (sum, { sentMs, endedMs }) => sum + Math.max(0, Math.min(endedMs, untilMs) - Math.max(sentMs, fromMs)),
    0,
  );
  const answered = all.filter(({ endedMs, ok }) => ok && endedMs >= fromMs && endedMs < untilMs);
  const times = answered.map(({ sentMs, endedMs }) => endedMs - sentMs);
  return {
    rate,
    offered: calls.length / seconds,
    calls: calls.length,
    lost: calls.length === 0 ? 0 : 1 - well.length / calls.length,
    throughput: answered.length / seconds,
    meanMs: times.length === 0 ? Number.NaN : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    p50Ms: quantileOf(latencies, 0.5),
    p90Ms: quantileOf(latencies, 0.9),
    p99Ms: quantileOf(latencies, 0.99),
    quantileMs: quantileOf(
      [...latencies, ...Array<number>(calls.length - well.length).fill(Number.POSITIVE_INFINITY)],
      quantile,
    ),
    inflight: busyMs / (untilMs - fromMs),
    lateMs: quantileOf(lates, quantile),
    ended,
  };
}

/** Whether the service kept to the objective at that rate. */
export function holds({ quantileMs, lost, ended, calls }: Step, { withinMs, mayLose }: Objective): boolean {
  return ended === undefined && calls > 0 && lost <= mayLose && quantileMs <= withinMs;
}

/** Of sorted values; NaN of none. */
function quantileOf(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;
}

const ascending = (a: number, b: number): number => a - b;

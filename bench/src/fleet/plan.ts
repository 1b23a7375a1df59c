/** What the callee allows: so many calls in any stretch of this length, wherever it begins. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
}

/** Who calls how much, and for how long this is measured. */
export interface FleetPlan {
  readonly callee: Allowance;
  readonly workers: number;
  /** What arrives at the fleet, as a part of what the callee allows: more than 1, so that all of it could be used. */
  readonly offered: number;
  /** The part of it that arrives at the first worker; the others have the rest, in equal parts. */
  readonly busyPart: number;
  /** So many may wait at a worker; whoever comes then is turned away. */
  readonly line: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What one worker is told. */
export interface WorkerSettings {
  readonly approach: string;
  readonly redisUrl: string;
  readonly calleeUrl: string;
  readonly callee: Allowance;
  readonly worker: number;
  /** Arrivals, on average; their gaps are exponential. */
  readonly perSecond: number;
  readonly line: number;
  readonly seed: number;
}

/** When the worker begins, in wall-clock milliseconds, from when on it counts, and when it ends. */
export interface Stretch {
  readonly beginMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Calls of one worker from its begin to its end. */
export interface Calls {
  readonly accepted: number;
  readonly refused: number;
}

/** What a worker saw. */
export interface WorkerReport {
  /** By the answers it had. */
  readonly calls: Calls;
  /**
   * From arrival to the call, of those that arrived while it counted. Those that still waited at the end count with
   * what they had waited by then.
   */
  readonly waitsMs: readonly number[];
  /** Turned away while it counted, as too many waited. */
  readonly turnedAway: number;
  /** What went wrong: errors of the limiter, answers that were neither. */
  readonly errors: readonly string[];
}

/** The callee's books. */
export interface CalleeBooks {
  readonly calls: readonly Calls[];
  /** Accepted while it was counted. */
  readonly accepted: number;
  /** The most calls that came in any window, refused ones included. */
  readonly fullestWindow: number;
}

/** What a worker of the plan is offered, a second. */
export function offeredPerSecond(plan: FleetPlan, worker: number): number {
  const { callee, offered, busyPart, workers } = plan;
  const all = (offered * callee.limit * 1_000) / callee.windowMs;
  return worker === 0 ? busyPart * all : ((1 - busyPart) * all) / (workers - 1);
}

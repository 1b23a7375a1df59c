/** What the callee allows in any window of this length, wherever it begins. */
export interface Quota {
  readonly requests: number;
  readonly tokens: number;
  readonly windowMs: number;
}

/** Who calls how much, and for how long this is measured. */
export interface BudgetPlan {
  readonly quota: Quota;
  /** Calls a second that each light process makes on average; their gaps are exponential. */
  readonly lightPerSecond: readonly number[];
  /** The greedy process always has so many calls that wait or run. */
  readonly greedyCalls: number;
  /** How long a call takes: the shortest and the longest, in milliseconds. */
  readonly holdMs: readonly [shortest: number, longest: number];
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What one worker is told. */
export interface WorkerSettings {
  readonly approach: string;
  readonly redisUrl: string;
  readonly calleeUrl: string;
  readonly quota: Quota;
  readonly holdMs: BudgetPlan["holdMs"];
  readonly worker: number;
  /** Null for the greedy one. */
  readonly perSecond: number | null;
  readonly greedyCalls: number;
}

/** When the workers begin, from when on they count, and when they end, in wall-clock milliseconds. */
export interface Stretch {
  readonly beginMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a worker saw. */
export interface WorkerReport {
  /** From asking to the begin of the call, of calls that began while it counted. */
  readonly waitsMs: readonly number[];
  /** Calls that the limiter itself gave up, since the store or the process was too slow (`DT_STORE_SLOW`). */
  readonly givenUp: number;
  readonly errors: readonly string[];
}

/** The callee's books. */
export interface CalleeBooks {
  /** Admitted while it was counted. */
  readonly calls: number;
  /** What these calls cost. */
  readonly tokens: number;
  /** Answered 429, in the warm-up too. */
  readonly refused: number;
}

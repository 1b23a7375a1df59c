/** A load: processes that call one callee, which takes so many calls at once. */
export interface Load {
  readonly name: string;
  /** The most calls in flight. */
  readonly max: number;
  /** For each process, how many callers it has that always want a slot. The others make a call now and then. */
  readonly callers: readonly number[];
  /** How long the callee takes for a call on average: from 0.8 to 1.2 times this, in milliseconds. */
  readonly holdMs: number;
  /** A process without callers makes a call this often, on average, in milliseconds. */
  readonly lightEveryMs: number;
}

/** How long a load is measured, in milliseconds. */
export interface Times {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What one worker is told. */
export interface WorkerSettings {
  readonly approach: string;
  /** Address of the store's server. */
  readonly url: string;
  readonly calleeUrl: string;
  readonly max: number;
  readonly callers: number;
  readonly lightEveryMs: number;
  readonly worker: number;
}

/** When the workers begin to count, and when they end: wall-clock milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `busy`: of a process whose callers always want a slot. `light`: of one that makes a call now and then. */
export type Kind = "busy" | "light";

/** What a worker saw: from asking to the begin of the call, of the calls that began while it counted. */
export interface WorkerReport {
  readonly waitsMs: Readonly<Record<Kind, readonly number[]>>;
  readonly errors: readonly string[];
}

/** The callee's books of the stretch. */
export interface CalleeBooks {
  /** Calls that began. */
  readonly calls: number;
  /** The most calls that were in flight at once, in the warm-up too. */
  readonly most: number;
  /** Calls in flight, on average. */
  readonly average: number;
}

/** What the callee allows in any window of this length. */
export interface Quota {
  readonly requests: number;
  readonly tokens: number;
  readonly windowMs: number;
}

/** What all workers of a run are told; times in milliseconds. */
export interface FleetSettings {
  readonly quota: Quota;
  /** How much later than its instant a call may begin. */
  readonly latenessMs: number;
  /** Callers that make one call after the other. */
  readonly callers: number;
  /** A call takes from a half to one and a half of this. */
  readonly holdMs: number;
  /** A lease that is not settled after so long is reported. */
  readonly settleWithinMs: number;
}

/** What one worker is told. */
export interface WorkerSettings extends FleetSettings {
  readonly worker: number;
  readonly calleeUrl: string;
  /** What makes the store: a module, a function of it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
}

/** The budget that all callers share. */
export const FLEET = "fleet";
/** A budget that nothing but the scenario uses, so that what is spent of it is known to the unit. */
export const EXACT = "exact";
/** Each of its leases reserves so much. */
export const EXACT_UNITS = 100;

/** Wide enough for all that a run spends: nothing waits, and nothing leaves the window. */
export const EXACT_LIMITS = { tokens: { rate: "100000/600s", burst: 100_000 } } as const;

/** For so long a process waits for the store. */
export const STORE_TIMEOUT_MS = 1_000;

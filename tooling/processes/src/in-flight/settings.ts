/** What all workers of a run are told; times in milliseconds. */
export interface FleetSettings {
  readonly max: number;
  readonly staleAfterMs: number;
  readonly stopWithinMs: number;
  /** Callers that make one call after the other. */
  readonly callers: number;
  /** A call takes from a half to one and a half of this. */
  readonly holdMs: number;
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

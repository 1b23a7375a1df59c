/** The pacer of every worker; times in milliseconds. */
export interface PacerSettings {
  readonly every: number;
  readonly maxReserved: number;
  readonly permitTtl: number;
  readonly storeTimeout: number;
}

/** What every worker of a run is told. */
export interface FleetSettings {
  readonly pacer: PacerSettings;
  /** Callers that ask again after they were answered, and how long after. */
  readonly callers: number;
  readonly pauseMs: number;
  /** How long a caller waits for its permit. */
  readonly callTimeoutMs: number;
  /** The store's own deadline; absent: its default. */
  readonly timeout?: string;
}

/** What one worker is told. */
export interface WorkerSettings extends FleetSettings {
  readonly worker: number;
  /** What makes the store: a module, a function of it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  /** So much is this worker's wall clock off. */
  readonly wallClockOffMs: number;
  readonly log: string;
}

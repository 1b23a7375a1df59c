/** The pacer of every worker. */
export interface PacerSettings {
  readonly every: number;
  readonly maxReserved: number;
  readonly permitTtl: number;
  readonly storeTimeout: number;
}

/** What a worker is told. */
export interface WorkerSettings {
  readonly worker: number;
  /** What makes the store: a module, a function of it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  readonly pacer: PacerSettings;
  /** Callers that ask again as soon as they were answered. */
  readonly callers: number;
  /** So much is this worker's wall clock off. */
  readonly wallClockOffMs: number;
  readonly log: string;
}

/** What bounds an exploration of a semaphore. Times are in ticks. */
export interface SemaphoreBounds {
  /** Processes that may join. */
  readonly members: number;
  /** The most calls in flight. */
  readonly max: number;
  /** How long the world runs. */
  readonly ticks: number;
  /** How long a share may be used, counted from the tick in which the last answered call was sent. */
  readonly validity: number;
  /** Silence after which the store removes a member. The timing assumption is `stale >= validity`. */
  readonly stale: number;
  /** Ticks that a call to the store may go on for. */
  readonly deadline: number;
  /** Ticks that a new group learns, when `losses` is above 0: at least `validity` and `deadline` together. */
  readonly learning: number;
  /** Callers of one process that wait at once. */
  readonly waiters: number;
  /** Calls to the store, in a whole run, during which anything may happen. The others are one step. */
  readonly slow: number;
  /** Processes, in a whole run, that drain and leave. */
  readonly leaves: number;
  /** Requests and answers, in a whole run, that are lost. Hints are lost at any time. */
  readonly faults: number;
  /** Requests and offers, in a whole run, that arrive at any time later, or twice. */
  readonly late: number;
  /** Times, in a whole run, that the store loses all its data. */
  readonly losses: number;
  /** Times, in a whole run, that a process is killed and started again under its id. */
  readonly restarts: number;
  /** False: the store has no queue, and sends no hints (V0 of the protocol). */
  readonly queue: boolean;
}

export const DEFAULT_SEMAPHORE_BOUNDS: SemaphoreBounds = {
  members: 2,
  max: 1,
  ticks: 4,
  validity: 2,
  stale: 2,
  deadline: 1,
  learning: 3,
  waiters: 1,
  slow: 1,
  leaves: 0,
  faults: 0,
  late: 0,
  losses: 0,
  restarts: 0,
  queue: true,
};

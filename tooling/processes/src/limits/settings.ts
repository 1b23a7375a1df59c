/** The kinds of limiters that take part. */
export const KINDS = ["throttle", "semaphore", "pacer", "budget", "keyed"] as const;

export type Kind = (typeof KINDS)[number];

/** All limiters of the run have this name; each is of another kind. */
export const NAME = "fleet";

/** The one key of the keyed limit. */
export const KEY = "tenant-17";

/** What the code says: calls a second, and of a semaphore calls in flight. */
export const CODE_LIMIT = 24;

/** What a bucket of the keyed limit holds. */
export const BURST = 4;

/** How long a call takes, in milliseconds. */
export const HOLD_MS = 150;

/** What one worker is told. */
export interface WorkerSettings {
  readonly kind: Kind;
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  /** Callers that make one call after the other. */
  readonly callers: number;
}

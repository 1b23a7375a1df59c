/** The events of a guard. Each is published as well: docs/events.md has the channels. */
export interface GuardEvents {
  /** No call goes out for `forMs`, because the callee asked for it or `pause` was called. */
  readonly paused: { readonly forMs: number };
}

/** A guard at one instant, as data. */
export interface GuardStatus {
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopped";
  /** The guard's name. */
  readonly name: string;
  /** How much longer nothing goes out, in milliseconds. */
  readonly pausedForMs: number;
  /** Callers on their way in: waiting for the end of a pause, a slot, a permit or tokens. */
  readonly waiting: number;
  /** Calls that were let through and have not ended. */
  readonly inflight: number;
  /** Calls that were let through so far. */
  readonly granted: number;
}

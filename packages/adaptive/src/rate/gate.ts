import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";

/** The rate lets nothing pass any more. */
export function stoppedError(name: string, state: "draining" | "stopped"): DtError {
  const what = state === "draining" ? "is being drained" : "was stopped";
  return new DtError("DT_STOPPED", `the adaptive rate ${describe(name)} ${what}; create a new one`);
}

/** How a caller waits. */
export interface GateWait {
  /** For how many calls it counts. */
  readonly cost: number;
  /** Its own time, in milliseconds. Without it the gate's counts, if it has one. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly priority: number;
}

/** What calls have to pass, and how fast they may. */
export interface RateGate {
  /**
   * For how many calls a second one call a second of this process stands: 1, or the number of processes that share the
   * rate.
   */
  readonly members: number;
  /** The shortest time in which calls are counted, in milliseconds: they may come in bunches that are so far apart. */
  readonly bunchMs: number;
  /** The most callers that may wait; undefined where there is no such bound. */
  readonly maxWaiters: number | undefined;
  /** True where callers wait for the rate, and not for a start or for a store that is away. */
  readonly isLimiting: boolean;
  /** Calls a second that may pass before anything is set; `Infinity` for any number. */
  readonly unset: number;
  /** Lets a call pass now; false when it must not. */
  pass(cost: number): boolean;
  /** The same for a call that waits for a start alone, and for its own time at most. */
  passOnceStarted(wait: GateWait): Promise<boolean> | boolean;
  /** Resolves once the call may pass; rejects with `DT_TIMEOUT`, the signal's reason or `DT_STOPPED`. */
  wait(wait: GateWait): Promise<void>;
  /** When such a call could pass, in milliseconds from now, where that is known. */
  dueInMs(cost: number): number | undefined;
  /** Calls a second from now on, of all members together; `Infinity` holds nothing back, and 0 everything. */
  set(rate: number): void;
  /** Lets nothing pass any more: callers that wait get this error. */
  stop(error: unknown): void;
}

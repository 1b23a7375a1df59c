import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";

/** Nothing passes any more. */
export function stoppedError(name: string): DtError {
  return new DtError("DT_STOPPED", `the adaptive rate ${describe(name)} was stopped; create a new one`);
}

/** How a caller waits. */
export interface GateWait {
  /** In milliseconds; then the answer is undefined. Without it the gate's own time ends the wait, with an error. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
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
  /** Calls a second that may pass before anything is set; `Infinity` for any number. */
  readonly unset: number;
  /** Lets one call pass now; false when it must not. */
  pass(): boolean;
  /** True once a call may pass, false when its own time was up first. */
  wait(wait: GateWait): Promise<boolean>;
  /** Calls a second from now on, of all members together; `Infinity` holds nothing back, and 0 everything. */
  set(rate: number): void;
  readonly waiting: number;
  /** Lets nothing pass any more: `DT_STOPPED`. */
  stop(): void;
}

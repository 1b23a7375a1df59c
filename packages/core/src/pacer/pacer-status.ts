import type { PermitLimit } from "../contract/permit-ledger.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { LimiterStatus } from "../limiter/limiter-status.ts";

/** A pacer at one instant, as data. */
export interface PacerStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "pacer";
  /** Whether it takes in callers, serves those that wait, or has ended. */
  readonly state: "running" | "draining" | "stopping" | "stopped";
  /** What all pacers of the name must agree on, as text: see the option `replaces`. */
  readonly terms: string;
  /** True where the limit lives in the store. */
  readonly stored: boolean;
  /** The distance and the burst in force: those of the code or, where the limit lives in the store, of its answer. */
  readonly limit: PermitLimit;
  /** Permits that the store has granted to this process, those that were given back among them. */
  readonly reserved: number;
  /** Permits wasted because their holder woke later than `permitTtl`, or because no caller was left for them. */
  readonly wasted: number;
  /** What is left of a pause, in milliseconds; 0 where there is none. */
  readonly pausedForMs: number;
  /** Why the last call to the store failed; undefined after a success. */
  readonly lastError: DtError | undefined;
}

/** A grouped pacer at one instant, as data. `reserved`, `wasted`, `pausedForMs` and `lastError` are of the own site. */
export interface GroupedPacerStatus extends PacerStatus {
  /** The site of this process. */
  readonly site: string;
  /** Permits that callers have gone out with from other sites. */
  readonly stolen: number;
}

import type { DtError } from "../errors/dt-error.ts";

/** A pacer at one instant, as data. */
export interface PacerStatus {
  readonly state: "running" | "draining" | "stopping" | "stopped";
  readonly name: string;
  /** What all pacers of the name must agree on, as text: see the option `replaces`. */
  readonly terms: string;
  /** Callers waiting. */
  readonly waiting: number;
  /** Permits that callers have gone out with, without those of `tryAcquire`. */
  readonly granted: number;
  /** Permits wasted because their holder woke later than `permitTtl`, or because nobody came for them. */
  readonly wasted: number;
  /** Why the last call to the store failed; undefined after a success. */
  readonly lastError: DtError | undefined;
}

import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";

/** One call to a permit ledger as it was seen from outside. Times are of one monotonic clock of the observer. */
export type PermitOperation = ReserveOperation | ReleaseOperation;

interface Observed {
  /** When the call was sent. */
  readonly startMs: number;
  /**
   * When it was answered. Undefined when it never was (timeout, lost connection, effect `unknown`): it took effect at
   * any time after it was sent, or never. Calls that certainly did nothing (effect `definite`) are no part of a
   * history.
   */
  readonly endMs?: number | undefined;
}

/** A reservation in a stream of random operations. */
export interface ReserveOperation extends Observed {
  /** The operation's name. */
  readonly call: "reserve";
  /** What is asked for. */
  readonly request: PermitRequest;
  /** Present exactly when `endMs` is. */
  readonly answer?: Reservation | undefined;
}

/** A release in a stream of random operations. */
export interface ReleaseOperation extends Observed {
  /** The operation's name. */
  readonly call: "release";
  /** What is given back. */
  readonly release: PermitRelease;
}

/** What the checker found. */
export type LinearizabilityVerdict =
  | {
      readonly verdict: "linearizable" /** Indexes of the operations that took effect, in such an order. */;
      readonly order: readonly number[];
    }
  | {
      readonly verdict: "not linearizable";
      /** The longest order that explains the answers in it. */
      readonly order: readonly number[];
      /** What every operation that could come next should have been answered instead, as text. */
      readonly explanation: string;
    }
  | { readonly verdict: "undecided"; readonly steps: number };

/** Options of the check. */
export interface LinearizabilityOptions {
  /**
   * How far the times in two clients' answers may be out of order, in milliseconds: 0 for a store with one clock, 2,000
   * for a hybrid one. Beyond 0, answers that change nothing (refusals without a queue, repeats) may carry a time ahead
   * of the key's.
   * @default 0
   */
  readonly clockErrorMs?: number;
  /**
   * Gives up as undecided after this many steps.
   * @default 1,000,000
   */
  readonly maxSteps?: number;
}

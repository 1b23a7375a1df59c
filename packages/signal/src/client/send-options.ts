import type { Duration } from "@dt/core/kit";

/** Options of `send`. */
export interface SendOptions {
  /** Messages of one key go to one partition, in order. */
  readonly key?: string;
  /** How long it may take to the receipt. Default: the client's `sendTimeout`. */
  readonly timeout?: Duration;
  /** Gives a message up that has not been sent, and ends the waiting for one that has. */
  readonly signal?: AbortSignal;
}

/** Their names. */
export const SEND_OPTIONS: ReadonlySet<string> = new Set<keyof SendOptions>(["key", "timeout", "signal"]);

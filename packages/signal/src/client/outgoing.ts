import type { Timer } from "@dt/core";

/** What `send` answers. */
export interface Receipt {
  /** The message's number within its producer. */
  readonly sequenceId: number;
  /** Its place in the topic; undefined where the server had kept it before a connection was lost with the receipt. */
  readonly messageId: number | undefined;
}

/** A message between `send` and its receipt. */
export interface Outgoing {
  readonly payload: Uint8Array;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly sinceMs: number;
  /** How long the producer had been throttled when it was handed over. */
  readonly throttledMsBefore: number;
  /** Given when it is first sent. */
  sequenceId: number;
  /** True once it was answered or given up. */
  done: boolean;
  readonly timer: Timer;
  readonly stopListening: (() => void) | undefined;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

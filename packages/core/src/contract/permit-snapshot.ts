import type { StoredCopy } from "./limit-ledger.ts";

/** What a key of permits holds, as data, for status pages and tools (P13). */
export interface PermitSnapshot {
  /** The key's name. */
  readonly key: string;
  /** The terms that bind its users now, and those that they took the place of (P10); absent where none do. */
  readonly terms?: string;
  /** The terms that `terms` took the place of, while both are served. */
  readonly formerTerms?: string;
  /** What is left of the key's pause (P15), in milliseconds; absent where there is none. */
  readonly pausedForMs?: number;
  /** The stored limit as the key's row has it (P16): `everyMs` and `burst`. Absent where it has none. */
  readonly stored?: StoredCopy;
  /**
   * Up to when the key is reserved, on the key's time: its theoretical arrival time. Not after `storeTimeMs` where
   * nothing is.
   */
  readonly reservedUntilMs: number;
  /** Reservations that are still known by their ids (P6), whether or not their instants are over. */
  readonly known: number;
  /** Instants that were given back and may still be taken (P5). */
  readonly freed: number;
  /** Requests that hold a place in the queue (P8). */
  readonly waiting: number;
  /** The key's time at the answer, in milliseconds. */
  readonly storeTimeMs: number;
}

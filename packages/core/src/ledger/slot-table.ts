import type { SlotHint } from "../contract/demand.ts";

/**
 * What a member of the queue lacks, which decides who comes first (R28): 0 slots to its need or the turn of a costly
 * caller (R34), 1 a turn with a slot above the water level, 2 nothing, since it was raised by all that it lacked.
 */
export type SlotTier = 0 | 1 | 2;

/** What the queue of a semaphore keeps of one member, beside the member's row of the ledger (R28). */
export interface SlotRow {
  incarnation: string;
  /** Copies of the member's row, so that a look at the queue reads no other row. */
  held: number;
  want: number;
  seq: number;
  /** Slots that the first of its callers waits for. */
  head: number;
  /** Group time since which it is in the queue; null while it is not, 0 in the turn of a costly caller (R34). */
  sinceMs: number | null;
  /** As it was when the row was written. */
  tier: SlotTier;
  /** Group time of its last request. */
  reportedMs: number;
  /** Group time of the last hint with an offer since its last request; null where there is none (R30). */
  offeredMs: number | null;
  /** Group time at which it was asked for slots since its last request, and for how many; null: it was not (R31). */
  askedMs: number | null;
  asked: number;
  /** Group time since which it holds what it holds. */
  heldSinceMs: number;
}

/** What the rules of a semaphore need of one group's storage, inside the transaction of the {@link LedgerTable}. */
export interface SlotTable {
  slotsOf(incarnation: string): SlotRow | undefined;
  /** Deleted with the member's row. */
  putSlots(row: SlotRow): void;
  /** The first of the queue: those whose `sinceMs` is not null, by `tier`, then `sinceMs`, then incarnation. */
  queued(most: number): readonly SlotRow[];
  /** The members that hold most, among equals by their incarnations. */
  mostHeld(most: number): readonly SlotRow[];
  /** Sent to the member once the transaction has taken effect. */
  hint(incarnation: string, hint: SlotHint): void;
  /** Those hints, each with the incarnation of its member. */
  readonly hints: readonly (readonly [incarnation: string, hint: SlotHint])[];
}

/** The most members of the queue, and of those that hold most, that one operation looks at. */
export const SLOT_LOOK = 32;

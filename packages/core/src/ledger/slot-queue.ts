import { SLOT_LOOK, type SlotRow, type SlotTable, type SlotTier } from "./slot-table.ts";
import type { GroupRow } from "./table.ts";
import { type Division, needOf } from "./water-level.ts";

/**
 * The queue of a semaphore (R28): in which order members get free slots. It only chooses: that no more is held than
 * there is follows from the rules of the ledger alone.
 */

/** A member that has not reported for so long leaves the queue, in milliseconds. */
const QUEUE_MS = 2_500;

/** What a member lacks. */
export interface Lack {
  readonly slots: number;
  readonly tier: SlotTier;
}

/** A member of the queue, with what it lacks. */
export interface Queued {
  readonly row: SlotRow;
  /** What it lacks still. */
  slots: number;
  readonly tier: SlotTier;
  /** True where this operation has raised it. */
  raised: boolean;
}

/** What a member lacks to its need, or, where slots are scarce, to a turn above the water level (R28). */
export function lackOf(
  { capacity }: Pick<GroupRow, "capacity">,
  division: Division,
  { held, want, head }: Pick<SlotRow, "held" | "want" | "head">,
): Lack {
  const { scarce, waterLevel } = division;
  const need = needOf(division, want);
  if (held < need) return { slots: need - held, tier: 0 };
  const turn = scarce && want > waterLevel ? Math.max(waterLevel + 1, Math.min(head, capacity)) : 0;
  return held < turn ? { slots: turn - held, tier: 1 } : { slots: 0, tier: 2 };
}

/** A member as it stands in the queue. */
export function queuedAs(row: GroupRow, division: Division, slotRow: SlotRow): Queued {
  return { row: slotRow, ...lackOf(row, division, slotRow), raised: false };
}

/** The queue in its order, as far as one operation looks. A member that has not reported for long leaves it. */
export function queueOf(table: SlotTable, row: GroupRow, division: Division): Queued[] {
  const queue: Queued[] = [];
  for (const slotRow of table.queued(SLOT_LOOK)) {
    if (row.lastMs - slotRow.reportedMs > QUEUE_MS) table.putSlots({ ...slotRow, sinceMs: null, offeredMs: null });
    else queue.push(queuedAs(row, division, slotRow));
  }
  return inOrder(queue);
}

/**
 * Members below their need come first, those that lack nothing come last, each kind by the time since which it is in
 * the queue. Names decide between equals, so that the order is the same in every store.
 */
export function inOrder(queue: Queued[]): Queued[] {
  return queue.sort(
    (a, b) => a.tier - b.tier || (a.row.sinceMs as number) - (b.row.sinceMs as number) || byName(a.row, b.row),
  );
}

export function byName(a: SlotRow, b: SlotRow): number {
  return a.incarnation < b.incarnation ? -1 : 1;
}

/** What these members lack. */
export function lackedBy(queue: readonly Queued[]): number {
  return queue.reduce((sum, { slots }) => sum + slots, 0);
}

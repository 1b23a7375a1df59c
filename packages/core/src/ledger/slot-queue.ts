import { SLOT_LOOK, type SlotRow, type SlotTable } from "./slot-table.ts";
import type { GroupRow } from "./table.ts";
import { type Division, needOf } from "./water-level.ts";

/**
 * The queue of a semaphore (R28 to R33): to which member a free slot goes, and which one is asked for one. It only
 * chooses: that no more is held than there is follows from the rules of the ledger alone.
 */

/** A member that was not heard of for so long leaves the queue, in milliseconds. */
const QUEUE_MS = 2_500;

/** What a member lacks. */
export interface Lack {
  readonly slots: number;
  /** True where it holds less than it needs; otherwise it lacks a turn with a slot above the water level. */
  readonly hungry: boolean;
}

/** A member of the queue, with what it lacks. */
export interface Queued extends Lack {
  readonly row: SlotRow;
}

/** What a member lacks to its need, or, where slots are scarce, to a turn above the water level (R28). */
export function lackOf(
  { capacity }: GroupRow,
  division: Division,
  { held, want, head }: Pick<SlotRow, "held" | "want" | "head">,
): Lack {
  const { scarce, waterLevel } = division;
  const need = needOf(division, want);
  if (held < need) return { slots: need - held, hungry: true };
  if (!scarce || want <= waterLevel) return { slots: 0, hungry: false };
  return { slots: Math.max(0, Math.max(waterLevel + 1, Math.min(head, capacity)) - held), hungry: false };
}

/**
 * The queue in its order, as far as one operation looks: members below their need first, each kind by the time since
 * which it waits. Whoever was not heard of for long leaves it.
 */
export function queueOf(table: SlotTable, row: GroupRow, division: Division): Queued[] {
  const queue: Queued[] = [];
  for (const queued of table.queued(SLOT_LOOK)) {
    if (row.lastMs - queued.heardMs > QUEUE_MS) table.putSlots({ ...queued, sinceMs: null, offeredMs: null });
    else queue.push({ row: queued, ...lackOf(row, division, queued) });
  }
  return inOrder(queue);
}

/** The same order in every store: among those of one instant by their names. */
export function inOrder(queue: Queued[]): Queued[] {
  return queue.sort(
    (a, b) =>
      Number(b.hungry) - Number(a.hungry) ||
      (a.row.sinceMs as number) - (b.row.sinceMs as number) ||
      byName(a.row, b.row),
  );
}

/** Decides between equals. */
export function byName(a: SlotRow, b: SlotRow): number {
  return a.incarnation < b.incarnation ? -1 : 1;
}

/** What those lack that come before a member which lacks this, and is in the queue since then (R29). */
export function lackedBefore(others: readonly Queued[], hungry: boolean, sinceMs: number | null): number {
  let slots = 0;
  for (const other of others) {
    const isBefore =
      other.hungry === hungry ? sinceMs === null || (other.row.sinceMs as number) < sinceMs : other.hungry;
    if (isBefore) slots += other.slots;
  }
  return slots;
}

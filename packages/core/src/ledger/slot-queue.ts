import { isLearning } from "./group-clock.ts";
import { SLOT_LOOK, type SlotRow, type SlotTable, type SlotTier } from "./slot-table.ts";
import { divisionsBeside, isCostly, takesCostlyTurn } from "./slot-turn.ts";
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
  /** By which it lacks as much. */
  readonly division: Division;
}

/** The queue in its order, and the division that goes for each member, in the queue or not. */
export interface SlotQueue {
  readonly members: readonly Queued[];
  readonly divisionOf: (incarnation: string) => Division;
}

/**
 * What a member lacks to its need, or, where slots are scarce, to a turn above the water level (R28). One with a costly
 * caller lacks no slot until the turn of that caller (R34), and keeps its place.
 */
export function lackOf(division: Division, member: Pick<SlotRow, "held" | "want" | "head">): Lack {
  const { scarce, waterLevel } = division;
  const { held, want } = member;
  const need = needOf(division, want);
  if (held < need) return { slots: need - held, tier: 0 };
  if (isCostly(division, member)) return { slots: 0, tier: 0 };
  const turn = scarce && want > waterLevel ? waterLevel + 1 : 0;
  return held < turn ? { slots: turn - held, tier: 1 } : { slots: 0, tier: 2 };
}

/**
 * The queue in its order, as far as one operation looks. A member that has not reported for long leaves it.
 * @param division how the capacity is divided where no costly caller has its turn
 * @param mine the member that is answered, as it is now
 */
export function queueOf(table: SlotTable, row: GroupRow, division: Division, mine?: SlotRow): SlotQueue {
  const rows: SlotRow[] = mine && mine.sinceMs !== null ? [mine] : [];
  for (const slotRow of table.queued(SLOT_LOOK)) {
    if (slotRow.incarnation === mine?.incarnation) continue;
    if (row.lastMs - slotRow.reportedMs > QUEUE_MS) table.putSlots({ ...slotRow, sinceMs: null, offeredMs: null });
    else rows.push(slotRow);
  }
  const even = inOrder(rows, () => division);
  const first = even.members[0]?.row;
  if (!first || isLearning(row) || !takesCostlyTurn(row, division, first)) return even;
  table.putSlots(first);
  const { own, others } = divisionsBeside(row, division, first);
  return inOrder(rows, (incarnation) => (incarnation === first.incarnation ? own : others));
}

/**
 * Members below their need come first, those that lack nothing come last, each kind by the time since which it is in
 * the queue. Names decide between equals, so that the order is the same in every store.
 */
function inOrder(rows: readonly SlotRow[], divisionOf: SlotQueue["divisionOf"]): SlotQueue {
  const members = rows.map((slotRow) => {
    const division = divisionOf(slotRow.incarnation);
    return { row: slotRow, ...lackOf(division, slotRow), raised: false, division };
  });
  members.sort(
    (a, b) => a.tier - b.tier || (a.row.sinceMs as number) - (b.row.sinceMs as number) || byName(a.row, b.row),
  );
  return { members, divisionOf };
}

export function byName(a: SlotRow, b: SlotRow): number {
  return a.incarnation < b.incarnation ? -1 : 1;
}

/** What these members lack. */
export function lackedBy(queue: readonly Queued[]): number {
  return queue.reduce((sum, { slots }) => sum + slots, 0);
}

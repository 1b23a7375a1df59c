import type { SlotRow } from "./slot-table.ts";
import type { GroupRow } from "./table.ts";
import { counted } from "./wants.ts";
import { type Division, divide } from "./water-level.ts";

/**
 * The turn of a costly caller (R34): one that waits for more slots than its member is ever due. In its turn the member
 * is due what this caller costs, and the others share what is left.
 */

/** The shortest wait for such a turn, in milliseconds: for each mean share that the caller costs. */
const WAIT_MS = 100;

/** The place in the queue of a member in such a turn: before all others. */
const FRONT = 0;

/** True where a caller costs more than its member is due, and more than a turn with a slot above the water level. */
export function isCostly(
  { scarce, waterLevel, odd }: Division,
  { want, head }: Pick<SlotRow, "want" | "head">,
): boolean {
  return scarce && want > waterLevel && head > waterLevel + Math.min(1, odd);
}

/**
 * True where the first member of the queue has such a turn, or begins one: after a wait in which its mean share would
 * have come to as much. It stays the first one until its turn is over.
 */
export function takesCostlyTurn(row: GroupRow, division: Division, first: SlotRow): boolean {
  if (!isCostly(division, first)) return false;
  const { waterLevel, odd, takers } = division;
  const waitMs = (WAIT_MS * costOf(row, first)) / (waterLevel + odd / takers);
  if (row.lastMs - (first.sinceMs as number) < waitMs) return false;
  first.sinceMs = FRONT;
  first.tier = 0;
  return true;
}

/** True where a member held all that its costly caller waited for. */
export function hadCostlyTurn(row: GroupRow, { sinceMs, held, head }: SlotRow): boolean {
  return sinceMs === FRONT && held >= costOf(row, { head });
}

/**
 * True where the turn of a member is over unused: none of its callers is costly any more, as its report says, or as the
 * capacity is now. It would stand before all others for ever.
 */
export function lostCostlyTurn(division: Division, { sinceMs }: SlotRow, now: Pick<SlotRow, "want" | "head">): boolean {
  return sinceMs === FRONT && !isCostly(division, now);
}

/** What the member of such a turn is due, and what the others are due beside it. */
export function divisionsBeside(
  row: GroupRow,
  division: Division,
  first: SlotRow,
): { own: Division; others: Division } {
  const cost = costOf(row, first);
  const rest = divide({
    capacity: row.capacity - cost,
    // Where it is alone there are no others.
    memberCount: Math.max(1, row.memberCount - 1),
    wants: counted(row.wants, first.want, -1),
  });
  return {
    own: { ...division, scarce: false, waterLevel: cost, float: 0, odd: 0 },
    // Each keeps its place in the queue: there is always a slot that it could have in its own turn.
    others: { ...rest, scarce: true, extra: 0, odd: Math.max(1, rest.odd) },
  };
}

function costOf({ capacity }: GroupRow, { head }: Pick<SlotRow, "head">): number {
  return Math.min(head, capacity);
}

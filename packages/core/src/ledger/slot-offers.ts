import { isLearning } from "./group-clock.ts";
import type { Queued } from "./slot-queue.ts";
import type { SlotRow, SlotTable } from "./slot-table.ts";
import type { GroupRow, LedgerTable, MemberRow } from "./table.ts";

/** A member that has not reported since its offer is sent it again after so long, in milliseconds. */
const AGAIN_MS = 250;

/**
 * Raises those in the queue by what is free, on record, the first one first (R29, R30). Changes the queue and `row`,
 * which the caller writes.
 * @param own the member that is answered, which the caller writes as well
 */
export function raiseQueue(table: LedgerTable, row: GroupRow, queue: readonly Queued[], own?: MemberRow): void {
  if (isLearning(row)) return;
  for (const queued of queue) {
    const free = row.capacity - row.held - (queued.row.held > 0 ? queued.division.float : 0);
    const slots = Math.min(queued.slots, free);
    if (slots <= 0) continue;
    const { incarnation } = queued.row;
    const member = incarnation === own?.incarnation ? own : table.member(incarnation);
    if (!member) continue;
    raise(row, member, queued.row, slots);
    if (member !== own) table.putMember(member);
    queued.slots -= slots;
    queued.raised = true;
  }
}

/** Raises one member. Changes all three rows, which the caller writes. */
export function raise(row: GroupRow, member: MemberRow, slotRow: SlotRow, slots: number): void {
  if (slots <= 0) return;
  member.held += slots;
  row.held += slots;
  slotRow.held = member.held;
  slotRow.heldSinceMs = row.lastMs;
}

/**
 * Sends each member that was raised a hint of it, and one once more whose hint may be lost (R30).
 * @param answered the member whose answer has it already
 */
export function hintOffers(slots: SlotTable, { lastMs }: GroupRow, queue: readonly Queued[], answered?: SlotRow): void {
  for (const queued of queue) {
    const { row: slotRow, raised } = queued;
    if (slotRow === answered) continue;
    const isLate = slotRow.offeredMs !== null && lastMs - slotRow.offeredMs > AGAIN_MS;
    if (!raised && !isLate) continue;
    slotRow.offeredMs = lastMs;
    slotRow.tier = queued.slots > 0 ? queued.tier : 2;
    slots.putSlots(slotRow);
    const { incarnation, held, seq } = slotRow;
    const { waterLevel } = queued.division;
    const wanted = queue.some((other) => other !== queued && other.slots > 0);
    slots.hint(incarnation, { kind: "offer", held, seq, waterLevel, wanted });
  }
}

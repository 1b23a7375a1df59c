import { isLearning } from "./group-clock.ts";
import { byName, lackedBy, type SlotQueue } from "./slot-queue.ts";
import { SLOT_LOOK, type SlotRow, type SlotTable } from "./slot-table.ts";
import type { GroupRow } from "./table.ts";
import { needOf } from "./water-level.ts";

/** A member is asked for slots once in so long, in milliseconds. */
const ASK_MS = 250;

/**
 * Asks those for slots that hold most beyond their need, as far as slots lack that no member was asked for yet (R31).
 * One that did not report after it was asked comes last. Where only turns lack, they learn that others wait.
 * @param queue as it is after everything free was given out
 */
export function askForSlots(slots: SlotTable, row: GroupRow, { members, divisionOf }: SlotQueue): void {
  const needed = lackedBy(members.filter(({ tier }) => tier === 0));
  const turns = lackedBy(members) - needed;
  if (isLearning(row) || needed + turns === 0) return;
  const surplus = ({ incarnation, held, want }: SlotRow): number => held - needOf(divisionOf(incarnation), want);
  const wasAsked = ({ askedMs }: SlotRow): boolean => askedMs !== null && row.lastMs - askedMs <= ASK_MS;
  const holders = slots.mostHeld(SLOT_LOOK);
  const asked = holders.filter(wasAsked);
  let promised = asked.reduce((sum, holder) => sum + holder.asked, 0);
  let told = asked.length;
  if (promised >= needed && (turns === 0 || told > 0)) return;
  const candidates = holders
    .filter((holder) => surplus(holder) > 0 && !wasAsked(holder))
    .sort(
      (a, b) =>
        Number(a.askedMs !== null) - Number(b.askedMs !== null) ||
        surplus(b) - surplus(a) ||
        a.heldSinceMs - b.heldSinceMs ||
        byName(a, b),
    );
  for (const holder of candidates) {
    const lacked = needed - promised;
    if (lacked <= 0 && told >= turns) return;
    const give = Math.max(0, Math.min(lacked, surplus(holder)));
    promised += give;
    told += 1;
    slots.putSlots({ ...holder, askedMs: row.lastMs, asked: give });
    const { waterLevel } = divisionOf(holder.incarnation);
    slots.hint(holder.incarnation, { kind: "ask", give, waterLevel });
  }
}

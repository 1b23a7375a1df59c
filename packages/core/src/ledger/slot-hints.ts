import type { SlotHint } from "../contract/demand.ts";
import { isLearning } from "./group-clock.ts";
import { byName, type Queued } from "./slot-queue.ts";
import { SLOT_LOOK, type SlotRow, type SlotTable } from "./slot-table.ts";
import type { GroupRow, LedgerTable } from "./table.ts";
import { type Division, needOf } from "./water-level.ts";

/** An offer that was not answered by a report is hinted again after so long, in milliseconds: a hint may be lost. */
const AGAIN_MS = 250;
/** A member is asked for slots once in so long, in milliseconds. */
const ASK_MS = 250;

/**
 * Raises those in the queue by what is free, on record, and sends each a hint of it (R30). Where slots still lack, asks
 * those for some that hold most beyond their need (R31). Changes `row`, which the caller writes.
 * @param queue in its order
 */
export function makeOffersAndAsks(
  table: LedgerTable,
  slots: SlotTable,
  row: GroupRow,
  division: Division,
  queue: readonly Queued[],
): void {
  if (isLearning(row) || row.memberCount === 0) return;
  const { waterLevel, float } = division;
  const inNeed = queue.filter(({ slots: lacked }) => lacked > 0);
  let [hungry, others] = [0, 0];
  for (const { row: queued, slots: lacked, hungry: isHungry } of queue) {
    const free = row.capacity - row.held - (queued.held > 0 ? float : 0);
    const offered = Math.max(0, Math.min(lacked, free));
    if (offered > 0) raiseOnRecord(table, row, queued, offered);
    const isLate = queued.offeredMs !== null && row.lastMs - queued.offeredMs > AGAIN_MS;
    if (offered > 0 || isLate) {
      queued.offeredMs = row.lastMs;
      slots.putSlots(queued);
      const wanted = inNeed.some((other) => other.row !== queued);
      slots.hint(queued.incarnation, { kind: "offer", held: queued.held, seq: queued.seq, waterLevel, wanted });
    }
    if (isHungry) hungry += lacked - offered;
    else others += lacked - offered;
  }
  if (hungry + others > 0) ask(slots, row, division, hungry, others);
}

function raiseOnRecord(table: LedgerTable, row: GroupRow, queued: SlotRow, offered: number): void {
  const member = table.member(queued.incarnation);
  if (!member) return;
  member.held += offered;
  row.held += offered;
  queued.held = member.held;
  queued.heldSinceMs = row.lastMs;
  table.putMember(member);
}

/**
 * @param hungry slots that members lack to their need
 * @param turns slots that members lack to a turn above the water level: for these, others only learn that they wait
 */
function ask(slots: SlotTable, row: GroupRow, division: Division, hungry: number, turns: number): void {
  const { waterLevel } = division;
  const surplus = ({ held, want }: SlotRow): number => held - needOf(division, want);
  const holders = slots.mostHeld(SLOT_LOOK);
  const wasAsked = ({ askedMs }: SlotRow): boolean => askedMs !== null && row.lastMs - askedMs <= ASK_MS;
  let asked = holders.filter(wasAsked).length;
  let promised = holders.filter(wasAsked).reduce((sum, holder) => sum + holder.asked, 0);
  if (promised >= hungry && (turns === 0 || asked > 0)) return;
  const candidates = holders
    .filter((holder) => surplus(holder) > 0 && !wasAsked(holder))
    .sort((a, b) => surplus(b) - surplus(a) || a.heldSinceMs - b.heldSinceMs || byName(a, b));
  for (const holder of candidates) {
    const lacked = hungry - promised;
    if (lacked <= 0 && asked >= turns) return;
    const give = Math.max(0, Math.min(lacked, surplus(holder)));
    promised += give;
    asked += 1;
    slots.putSlots({ ...holder, askedMs: row.lastMs, asked: give });
    slots.hint(holder.incarnation, { kind: "ask", give, waterLevel });
  }
}

/**
 * A hint as a text, for channels of a database: `offer <held> <seq> <waterLevel> <wanted>`, `ask <give> <waterLevel>`.
 */
export function writeSlotHint(hint: SlotHint): string {
  if (hint.kind === "ask") return `ask ${hint.give} ${hint.waterLevel}`;
  return `offer ${hint.held} ${hint.seq} ${hint.waterLevel} ${hint.wanted ? 1 : 0}`;
}

/** Reads what {@link writeSlotHint} wrote; undefined for another text, which a stranger may have sent. */
export function readSlotHint(text: string | undefined): SlotHint | undefined {
  const [kind, ...rest] = (text ?? "").split(" ");
  const numbers = rest.map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) return undefined;
  if (kind === "offer" && numbers.length === 4) {
    const [held, seq, waterLevel, wanted] = numbers as [number, number, number, number];
    return { kind, held, seq, waterLevel, wanted: wanted === 1 };
  }
  if (kind === "ask" && numbers.length === 2) {
    const [give, waterLevel] = numbers as [number, number];
    return { kind, give, waterLevel };
  }
  return undefined;
}

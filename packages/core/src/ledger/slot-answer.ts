import type { MemberView } from "../contract/coordination-store.ts";
import type { Demand, SlotDemand, SlotView } from "../contract/demand.ts";
import { demandTokens, noteHunger } from "./demand.ts";
import { isLearning } from "./group-clock.ts";
import { askForSlots } from "./slot-asks.ts";
import { hintOffers, raise, raiseQueue } from "./slot-offers.ts";
import { inOrder, lackedBy, lackOf, type Queued, queuedAs, queueOf } from "./slot-queue.ts";
import type { SlotRow, SlotTable } from "./slot-table.ts";
import type { GroupRow, LedgerTable, MemberRow } from "./table.ts";
import { viewOf } from "./view.ts";
import { type Division, divide, needOf } from "./water-level.ts";

/** The interval that members of a semaphore register with, in milliseconds. It keeps throttles apart (R14). */
export const SLOT_INTERVAL_MS = 1;

const NO_CALLERS: SlotDemand = { waiting: 0, head: 0, tookOffer: false };

/** Raises members in the queue of a semaphore, this one in its turn (R28 to R31), records it, and answers. */
export function answerSlots(
  table: LedgerTable,
  slots: SlotTable,
  row: GroupRow,
  member: MemberRow,
  demand: Demand,
): MemberView {
  const division = divide(row);
  const known = slots.slotsOf(member.incarnation);
  // A repeat reports nothing new, and its answer may be read by nobody (R11).
  const isRepeat = known !== undefined && known.seq >= member.seq;
  const mine = isRepeat ? known : reported(row, division, member, known, demand.slots ?? NO_CALLERS);
  const others = queueOf(slots, row, division).filter((queued) => queued.row.incarnation !== mine.incarnation);
  const queue = mine.sinceMs === null ? others : inOrder([...others, queuedAs(row, division, mine)]);

  raiseQueue(table, row, division, queue, member);
  if (!isRepeat && !isLearning(row)) raise(row, member, mine, demandTokens(row, member, division, lackedBy(queue)));
  noteHunger(row, member.held, needOf(division, mine.want), demand.syncMs);
  if (!isRepeat) settlePlace(row, division, mine);
  table.putMember(member);
  slots.putSlots(mine);
  hintOffers(slots, row, division, queue, isRepeat ? undefined : mine);
  askForSlots(slots, row, division, queue);
  table.putGroup(row);
  return viewOf(row, member, false, 0, demand.syncMs, slotView(row, division, queue, mine));
}

/** What is kept of a member that has reported. After a turn that it took it goes to the end of the queue. */
function reported(
  row: GroupRow,
  division: Division,
  { incarnation, held, want: wanted, seq }: MemberRow,
  known: SlotRow | undefined,
  { waiting, head, tookOffer }: SlotDemand,
): SlotRow {
  const want = wanted ?? 0;
  const hadTurn = tookOffer && known !== undefined && lackOf(row, division, known).slots === 0;
  const isWaiting = waiting > 0 && lackOf(row, division, { held, want, head }).slots > 0;
  const sinceMs = (hadTurn ? null : known?.sinceMs) ?? row.lastMs;
  return {
    ...{ incarnation, held, want, seq, head },
    sinceMs: isWaiting ? sinceMs : null,
    tier: 2,
    reportedMs: row.lastMs,
    ...{ offeredMs: null, askedMs: null, asked: 0 },
    heldSinceMs: held === known?.held ? known.heldSinceMs : row.lastMs,
  };
}

/** A member that lacks nothing any more leaves the queue. */
function settlePlace(row: GroupRow, division: Division, mine: SlotRow): void {
  const { slots, tier } = lackOf(row, division, mine);
  if (slots === 0) mine.sinceMs = null;
  mine.tier = tier;
}

function slotView(row: GroupRow, division: Division, queue: readonly Queued[], mine: SlotRow): SlotView {
  const at = queue.findIndex((queued) => queued.row === mine);
  return {
    over: row.held > row.capacity,
    wanted: queue.some((queued) => queued.row !== mine && queued.slots > 0),
    place: at < 0 ? 0 : lackedBy(queue.slice(0, at)),
    turns: division.odd,
  };
}

/**
 * After an operation that answers no member: what was freed goes to the queue (R30). Changes `row`, which the caller
 * writes.
 */
export function serveSlots(table: LedgerTable, row: GroupRow): void {
  const { slots } = table;
  if (!slots || row.intervalMs !== SLOT_INTERVAL_MS || row.memberCount === 0) return;
  const division = divide(row);
  const queue = queueOf(slots, row, division);
  raiseQueue(table, row, division, queue);
  hintOffers(slots, row, division, queue);
  askForSlots(slots, row, division, queue);
}

/** A member that has lost its id leaves the queue. */
export function leaveQueue({ slots }: LedgerTable, incarnation: string): void {
  const known = slots?.slotsOf(incarnation);
  if (known && known.sinceMs !== null) slots?.putSlots({ ...known, sinceMs: null, offeredMs: null });
}

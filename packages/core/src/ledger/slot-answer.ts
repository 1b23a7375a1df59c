import type { MemberView } from "../contract/coordination-store.ts";
import type { Demand, SlotDemand, SlotView } from "../contract/demand.ts";
import { demandTokens, noteHunger } from "./demand.ts";
import { isLearning } from "./group-clock.ts";
import { askForSlots } from "./slot-asks.ts";
import { hintOffers, raise, raiseQueue } from "./slot-offers.ts";
import { lackedBy, lackOf, type Queued, queueOf } from "./slot-queue.ts";
import type { SlotRow, SlotTable } from "./slot-table.ts";
import { hadCostlyTurn, lostCostlyTurn } from "./slot-turn.ts";
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
  const even = divide(row);
  const known = slots.slotsOf(member.incarnation);
  // A repeat reports nothing new, and its answer may be read by nobody (R11).
  const isRepeat = known !== undefined && known.seq >= member.seq;
  const mine = isRepeat ? known : reported(row, even, member, known, demand.slots ?? NO_CALLERS);
  const queue = queueOf(slots, row, even, mine);
  const { members } = queue;
  const division = queue.divisionOf(mine.incarnation);

  raiseQueue(table, row, members, member);
  if (!isRepeat && !isLearning(row)) raise(row, member, mine, demandTokens(row, member, division, lackedBy(members)));
  noteHunger(row, member.held, needOf(division, mine.want), demand.syncMs);
  if (!isRepeat) settlePlace(row, even, mine);
  table.putMember(member);
  slots.putSlots(mine);
  hintOffers(slots, row, members, isRepeat ? undefined : mine);
  askForSlots(slots, row, queue);
  table.putGroup(row);
  return viewOf(row, member, false, 0, demand.syncMs, slotView(row, division, members, mine), division);
}

/** What is kept of a member that has reported. After its turn it goes to the end of the queue. */
function reported(
  row: GroupRow,
  division: Division,
  { incarnation, held, want: wanted, seq }: MemberRow,
  known: SlotRow | undefined,
  { waiting, head, tookOffer }: SlotDemand,
): SlotRow {
  const want = wanted ?? 0;
  const hadTurn = tookOffer && known !== undefined && (lackOf(division, known).tier === 2 || hadCostlyTurn(row, known));
  const lostTurn = known !== undefined && lostCostlyTurn(division, known, { want, head });
  const isWaiting = waiting > 0 && lackOf(division, { held, want, head }).tier < 2;
  const sinceMs = (hadTurn || lostTurn ? null : known?.sinceMs) ?? row.lastMs;
  return {
    ...{ incarnation, held, want, seq, head },
    sinceMs: isWaiting ? sinceMs : null,
    tier: 2,
    reportedMs: row.lastMs,
    ...{ offeredMs: null, askedMs: null, asked: 0 },
    heldSinceMs: held === known?.held ? known.heldSinceMs : row.lastMs,
  };
}

/** A member that lacks nothing any more leaves the queue, but not for the turn of a costly caller elsewhere. */
function settlePlace(row: GroupRow, division: Division, mine: SlotRow): void {
  const { tier } = lackOf(division, mine);
  if (tier === 2 || hadCostlyTurn(row, mine)) mine.sinceMs = null;
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
  const queue = queueOf(slots, row, divide(row));
  raiseQueue(table, row, queue.members);
  hintOffers(slots, row, queue.members);
  askForSlots(slots, row, queue);
}

/** A member that has lost its id leaves the queue. */
export function leaveQueue({ slots }: LedgerTable, incarnation: string): void {
  const known = slots?.slotsOf(incarnation);
  if (known && known.sinceMs !== null) slots?.putSlots({ ...known, sinceMs: null, offeredMs: null });
}

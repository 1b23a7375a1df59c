import type { MemberView } from "../contract/coordination-store.ts";
import type { Demand, SlotView } from "../contract/demand.ts";
import { demandTokens, noteHunger } from "./demand.ts";
import { isLearning } from "./group-clock.ts";
import { makeOffersAndAsks } from "./slot-hints.ts";
import { inOrder, lackedBefore, lackOf, queueOf } from "./slot-queue.ts";
import type { SlotRow, SlotTable } from "./slot-table.ts";
import type { GroupRow, LedgerTable, MemberRow } from "./table.ts";
import { viewOf } from "./view.ts";
import { type Division, divide, needOf } from "./water-level.ts";

/**
 * The interval that members of a semaphore register with, in milliseconds: it keeps them apart from throttles (R14).
 */
export const SLOT_INTERVAL_MS = 1;

/** The least that a turn lasts, in milliseconds. */
const TURN_MS = 100;

/** Raises what a member of a semaphore holds, in its turn (R28, R29), records it, and answers. */
export function answerSlots(
  table: LedgerTable,
  slots: SlotTable,
  row: GroupRow,
  member: MemberRow,
  demand: Demand,
): MemberView {
  const division = divide(row);
  const { waiting, head } = demand.slots ?? { waiting: 0, head: 0 };
  const others = queueOf(slots, row, division).filter(({ row: { incarnation } }) => incarnation !== member.incarnation);
  const mine = heardOf(slots, row, division, member, head);

  const before = lackedBefore(others, lackOf(row, division, mine).hungry, mine.sinceMs);
  raise(row, member, mine, isLearning(row) ? 0 : demandTokens(row, member, division, before));
  noteHunger(row, member.held, needOf(division, mine.want), demand.syncMs);

  let lack = lackOf(row, division, mine);
  if (waiting > 0 && lack.slots > 0) {
    mine.sinceMs ??= row.lastMs;
    if (!lack.hungry && !isLearning(row)) {
      const kept = member.held > 0 ? division.float : 0;
      const free = row.capacity - row.held - lackedBefore(others, false, mine.sinceMs) - kept;
      raise(row, member, mine, Math.max(0, Math.min(free, lack.slots)));
      lack = lackOf(row, division, mine);
    }
  }
  if (waiting === 0 || lack.slots === 0) mine.sinceMs = null;
  mine.hungry = lack.hungry;

  table.putMember(member);
  slots.putSlots(mine);
  const isQueued = mine.sinceMs !== null;
  const queue = isQueued ? inOrder([...others, { row: mine, ...lack }]) : others;
  makeOffersAndAsks(table, slots, row, division, queue);
  table.putGroup(row);

  const view: SlotView = {
    over: row.held > row.capacity,
    wanted: others.some(({ slots: lacked }) => lacked > 0),
    place: lackedBefore(others, lack.hungry, mine.sinceMs),
    turns: division.odd,
  };
  return viewOf(row, { ...member, held: mine.held }, false, 0, demand.syncMs, view);
}

/**
 * What is kept of a member, once its report was taken in. A turn that it gave up is over: it goes to the end. A report
 * that comes sooner ends no turn: the member may not have received the hint of it, and is raised again in its place.
 */
function heardOf(slots: SlotTable, row: GroupRow, division: Division, member: MemberRow, head: number): SlotRow {
  const { incarnation, held, seq } = member;
  const want = member.want ?? 0;
  const known = slots.slotsOf(incarnation);
  if (!known)
    return {
      incarnation,
      held,
      want,
      seq,
      head,
      sinceMs: null,
      hungry: false,
      heardMs: row.lastMs,
      offeredMs: null,
      askedMs: null,
      asked: 0,
      heldSinceMs: row.lastMs,
    };
  const hadTurn =
    known.offeredMs !== null && row.lastMs - known.offeredMs >= TURN_MS && lackOf(row, division, known).slots === 0;
  return {
    ...known,
    held,
    want,
    seq,
    head,
    sinceMs: hadTurn ? null : known.sinceMs,
    heardMs: row.lastMs,
    offeredMs: null,
    askedMs: null,
    asked: 0,
    heldSinceMs: held === known.held ? known.heldSinceMs : row.lastMs,
  };
}

function raise(row: GroupRow, member: MemberRow, mine: SlotRow, slots: number): void {
  if (slots <= 0) return;
  member.held += slots;
  row.held += slots;
  mine.held = member.held;
  mine.heldSinceMs = row.lastMs;
}

/**
 * After an operation that answers no member: what was freed goes to the queue. Changes `row`, which the caller writes.
 * @param left the incarnation of a member that has lost its place in the queue
 */
export function hintSlots(table: LedgerTable, row: GroupRow, left?: string): void {
  const { slots } = table;
  if (!slots || row.intervalMs !== SLOT_INTERVAL_MS) return;
  const known = left === undefined ? undefined : slots.slotsOf(left);
  if (known) slots.putSlots({ ...known, sinceMs: null, offeredMs: null });
  if (row.memberCount === 0) return;
  const division = divide(row);
  makeOffersAndAsks(table, slots, row, division, queueOf(slots, row, division));
}

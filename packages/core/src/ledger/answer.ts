import type { MemberView } from "../contract/coordination-store.ts";
import type { Demand } from "../contract/demand.ts";
import { beginTurn, demandRaise, noteHunger } from "./demand.ts";
import { unspent } from "./freed.ts";
import { isLearning } from "./group-clock.ts";
import { answerSlots } from "./slot-answer.ts";
import type { GroupRow, LedgerTable, MemberRow } from "./table.ts";
import { viewOf } from "./view.ts";
import { countedWant, divide, fairOf, needOf, takesTurns } from "./water-level.ts";

/**
 * Raises what the member holds as far as the rules allow (R7, R8, R9, R20, R22), records it, and answers.
 * @param demand what it said with this request: undefined for one that shares evenly
 */
export function answer(table: LedgerTable, row: GroupRow, member: MemberRow, demand?: Demand): MemberView {
  if (demand?.slots && table.slots) return answerSlots(table, table.slots, row, member, demand);
  const agree = !isLearning(row) && row.adopted === row.memberCount;
  const syncMs = member.want === null ? undefined : demand?.syncMs;
  const takes = member.want === null ? takesTurns(row) : syncMs !== undefined;
  const early = takes ? raiseByDemand(row, member, syncMs ?? row.intervalMs) : raiseEvenly(row, member, agree);
  table.putMember(member);
  table.putGroup(row);
  return viewOf(row, member, agree, early, syncMs);
}

/** Returns how many of the tokens it was raised by may be used an epoch earlier than the rest. */
function raiseEvenly(row: GroupRow, member: MemberRow, agree: boolean): number {
  const { fair, most } = fairOf(row);
  const early = Math.min(unspent(row), Math.max(0, fair - member.held));
  if (agree) {
    row.largestMemberCount = row.memberCount;
    raise(row, member, most - member.held);
  } else if (!isLearning(row) && member.held < fair) {
    raise(row, member, Math.min(row.capacity - row.held, fair - member.held));
  }
  // Beside members that share by demand it may have to wait until these give up what it is due.
  if (row.wants.length > 0) noteHunger(row, member.held, fair);
  return early;
}

function raiseByDemand(row: GroupRow, member: MemberRow, syncMs: number): number {
  const idle = unspent(row);
  const { tokens, odd } = demandRaise(row, member, idle, syncMs);
  raise(row, member, tokens);
  if (odd) beginTurn(row, member);
  noteHunger(row, member.held, needOf(divide(row), countedWant(row, member) as number), syncMs);
  return Math.min(idle, tokens);
}

function raise(row: GroupRow, member: MemberRow, tokens: number): void {
  if (tokens <= 0) return;
  member.held += tokens;
  row.held += tokens;
}

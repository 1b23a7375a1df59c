import type { MemberView } from "../contract/coordination-store.ts";
import type { SlotView } from "../contract/demand.ts";
import { demandView } from "./demand.ts";
import { entitlementOf } from "./entitlement.ts";
import { groupClockError, isLearning } from "./group-clock.ts";
import { pausedForMs } from "./pause.ts";
import type { GroupRow, MemberRow } from "./table.ts";
import { type Division, divide } from "./water-level.ts";

/**
 * The answer to a member, as its rows are.
 * @param early of what it is entitled to, the tokens that it may use an epoch earlier than the rest (R20). Default 0
 * @param syncMs the sync interval of a member that shares by demand. Left out: it shares evenly
 * @param slots what a member of a semaphore is answered besides
 * @param division how the capacity is divided for it, if not as for all
 */
export function viewOf(
  row: GroupRow,
  member: MemberRow,
  agree: boolean,
  early = 0,
  syncMs?: number,
  slots?: SlotView,
  division?: Division,
): MemberView {
  const pauseMs = pausedForMs(row);
  return {
    status: agree ? "agree" : "disagree",
    generation: row.generation,
    members: row.memberCount,
    reportedMembers: agree ? row.memberCount : row.largestMemberCount,
    rank: member.rank,
    held: member.held,
    ...entitlementOf(row, member),
    early,
    capacity: row.capacity,
    clockErrorMs: groupClockError(row),
    storeTimeMs: row.lastMs,
    groupAgeMs: row.lastMs - row.createdAtMs,
    learning: isLearning(row),
    resumeLevel: null,
    ...(pauseMs > 0 && { pausedForMs: pauseMs }),
    ...(syncMs !== undefined && {
      demand: { ...demandView(row, member, syncMs, division ?? divide(row)), ...(slots && { slots }) },
    }),
  };
}

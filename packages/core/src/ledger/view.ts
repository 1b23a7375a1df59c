import type { MemberView } from "../contract/coordination-store.ts";
import { groupClockError } from "./aggregates.ts";
import { entitlementOf } from "./entitlement.ts";
import { isLearning } from "./group-clock.ts";
import type { GroupRow, MemberRow } from "./table.ts";

/** The answer to a member, as its rows are. */
export function viewOf(row: GroupRow, member: MemberRow, agree: boolean): MemberView {
  return {
    status: agree ? "agree" : "disagree",
    generation: row.generation,
    poolSize: row.poolSize,
    reportedPoolSize: agree ? row.poolSize : row.largestPoolSize,
    rank: member.rank,
    held: member.held,
    ...entitlementOf(row, member),
    capacity: row.capacity,
    clockErrorMs: groupClockError(row),
    storeTimeMs: row.lastMs,
    groupAgeMs: row.lastMs - row.createdAtMs,
    learning: isLearning(row),
    resumeLevel: null,
  };
}

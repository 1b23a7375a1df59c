import type { MemberView, Report } from "@dt/core";
import { fairOf, type GroupRow, isLearning, type MemberRow, viewOf, wantOnGrid } from "@dt/core/ledger";
import { encodeGroup, encodeMember } from "./row-codec.ts";

/**
 * For stores in which recording a report costs more than answering it.
 *
 * True when a report has something that the ledger has not recorded. It must then be recorded before it is answered.
 * Otherwise it is a mere heartbeat. Its `seq` and level are not compared.
 */
export function bringsNews(row: GroupRow, member: MemberRow, report: Report): boolean {
  return (
    member.standing === "newcomer" ||
    report.generation !== member.generation ||
    member.generation !== row.generation ||
    report.held < member.held ||
    (report.stored ? null : report.max) !== member.max ||
    report.members > row.largestMemberCount ||
    (report.pauseMs ?? 0) > 0 ||
    (report.demand ? wantOnGrid(report.demand.want) : null) !== member.want
  );
}

/**
 * A group's row with the time of the last heartbeat that is known of, which the ledger itself need not have recorded.
 *
 * Not while the group learns. Then every report is recorded. A recorded time that is later than that was corrected by a
 * client that knew it from before. It is no time in which members could claim.
 */
export function withHeard(row: GroupRow, heardMs: number): GroupRow {
  return isLearning(row) ? { ...row } : { ...row, lastMs: Math.max(row.lastMs, heardMs) };
}

/**
 * Everything of a group's row but what every operation changes: two rows with the same essence mean the same. What was
 * used and given up is never left out: a member that gives up tokens and is given as many at once changes nothing else.
 * Nor is what members want, and that one of them got too little.
 */
export function groupEssence(row: GroupRow): string {
  return JSON.stringify(encodeGroup({ ...row, lastMs: 0, lapsedMs: 0 }));
}

/**
 * Everything of a member's row but what every heartbeat changes. The level is among that: it may be recorded late. So
 * is what the member does (R27), which is recorded with something else or not at all.
 */
export function memberEssence(row: MemberRow): string {
  return JSON.stringify(encodeMember({ ...row, seq: 0, expiresAtMs: 0, level: null, activity: null }));
}

/**
 * The answer to a member whose report could not be recorded: the ledger as it is, without a raise. To the
 * protocol it is the answer to a request that was overtaken (R11). The epoch in it may have begun: all that it names is
 * on record as the member's already.
 * @param syncMs as for `viewOf` of `@dt/core/ledger`
 */
export function unrecordedView(row: GroupRow, member: MemberRow, syncMs?: number): MemberView {
  const agree = !isLearning(row) && row.adopted === row.memberCount && member.held === fairOf(row).most;
  return viewOf(row, member, agree, 0, syncMs);
}

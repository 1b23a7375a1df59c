import { extremesOf, type GroupRow, type MemberRow } from "@dt/core/ledger";

/**
 * What is wrong with a ledger whose rows are each well formed: the aggregates are counted again, and the members must
 * have the ranks from 0 on. Nothing when all is well. O(members).
 */
export function auditLedger(group: GroupRow, members: readonly MemberRow[]): readonly string[] {
  const adopted = members.filter(({ generation }) => generation === group.generation).length;
  const extremes = members.length > 0 ? extremesOf(members) : undefined;
  const counted = {
    poolSize: members.length,
    held: members.reduce((sum, { held }) => sum + held, 0),
    adopted,
    capacity: members.length === 0 ? 0 : Math.min(...members.map(({ max }) => max)),
    // Those of an empty group are what they were last.
    quietLimitMs: extremes ? extremes.smallestStaleMs / 4 : group.quietLimitMs,
    longestStaleMs: extremes?.longestStaleMs ?? group.longestStaleMs,
    clockErrorMs: extremes?.largestClockErrorMs ?? 0,
  };
  const wrong = (Object.keys(counted) as (keyof typeof counted)[])
    .filter((field) => counted[field] !== group[field])
    .map((field) => `${field} is ${group[field]}, and the members' rows make ${counted[field]}`);
  const isOrdered = members.every(({ rank }, place) => rank === place);
  const isUnique = new Set(members.map(({ incarnation }) => incarnation)).size === members.length;
  if (!isOrdered || !isUnique) wrong.push("the members' ranks are not 0, 1, 2 and so on");
  const holders = members.filter(({ standing }) => standing === "holder").map(({ id }) => id);
  if (new Set(holders).size < holders.length) wrong.push("two members are the holder of one id");
  return wrong;
}

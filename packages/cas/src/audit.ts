import { countOf, declaredBy, type GroupRow, type MemberRow } from "@dt/core/ledger";

/**
 * What is wrong with a ledger whose rows are each well formed: the aggregates are counted again, and the members must
 * have the ranks from 0 on. Nothing when all is well. O(members).
 */
export function auditLedger(group: GroupRow, members: readonly MemberRow[]): readonly string[] {
  const adopted = members.filter(({ generation }) => generation === group.generation).length;
  const { memberCount, held } = countOf(members);
  // The times of an empty group are what they were last.
  const counted = { memberCount, held, adopted, ...declaredBy(members, group) };
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

import type { LimiterReport, MemberReport, MemberState } from "./report.ts";
import { byName, utilizationOf, worstFirst } from "./verdict.ts";

/** What a report can be sorted by: `state` has the worst first. */
export const SORTS = ["state", "utilization", "waiting", "name"] as const;

export type Sort = (typeof SORTS)[number];

const LIMITERS: Readonly<Record<Sort, (one: LimiterReport, other: LimiterReport) => number>> = {
  state: worstFirst,
  utilization: (one, other) => utilizationOf(other) - utilizationOf(one) || worstFirst(one, other),
  waiting: (one, other) => (other.waiting ?? -1) - (one.waiting ?? -1) || worstFirst(one, other),
  name: byName,
};

const STATES: readonly MemberState[] = ["fenced", "silent", "active", "idle"];

const byState = (one: MemberReport, other: MemberReport): number =>
  STATES.indexOf(one.state) - STATES.indexOf(other.state) || byWaiting(one, other);
const byWaiting = (one: MemberReport, other: MemberReport): number =>
  (other.waiting ?? -1) - (one.waiting ?? -1) || other.held - one.held;
const partOf = ({ used, held }: MemberReport): number => (used === null ? -1 : used / Math.max(1, held));

const MEMBERS: Readonly<Record<Sort, (one: MemberReport, other: MemberReport) => number>> = {
  state: byState,
  utilization: (one, other) => partOf(other) - partOf(one) || byState(one, other),
  waiting: byWaiting,
  name: (one, other) => (one.id < other.id ? -1 : 1),
};

/** Limiters in this order. */
export function sortLimiters(limiters: readonly LimiterReport[], sort: Sort): readonly LimiterReport[] {
  return limiters.toSorted(LIMITERS[sort]);
}

/** Members in this order. */
export function sortMembers(members: readonly MemberReport[], sort: Sort): readonly MemberReport[] {
  return members.toSorted(MEMBERS[sort]);
}

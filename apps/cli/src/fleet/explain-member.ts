import type { MemberSnapshot } from "@dt/core";
import { plural, timeText, unitsText } from "./amounts.ts";
import type { GroupFacts } from "./group-facts.ts";
import { nameText } from "./name-text.ts";

/** Why the share of a member is what it is, in one sentence without a full stop. */
export function explainMember(member: MemberSnapshot, facts: GroupFacts): string {
  const { snapshot, pausedForMs } = facts;
  const state = facts.stateOf(member);
  if (state === "fenced")
    return `another process has its id; it keeps ${held(member, facts)} until the store removes it`;
  if (state === "silent")
    return `silent for ${timeText(member.silentMs)}; it keeps ${held(member, facts)} until the store removes it`;
  const why = member.want === undefined ? whyEven(member, facts) : whyDemand(member, member.want, facts);
  const more = [
    ...(pausedForMs > 0 ? ["the fleet is paused"] : []),
    ...(snapshot.learning ? ["no share is raised while the group learns"] : []),
    ...lowered(member, facts),
    ...ramp(member, facts),
  ];
  return [why, ...more].join("; ");
}

function held(member: MemberSnapshot, { unit }: GroupFacts): string {
  return plural(member.held, unit);
}

/** Of a member that has the same part as the others. */
function whyEven(member: MemberSnapshot, facts: GroupFacts): string {
  const { snapshot, unit, even, heldInSilence } = facts;
  const part = `even part of ${plural(snapshot.capacity, unit)} among ${plural(snapshot.members.length, "member")}`;
  if (member.held > even + 1) return `more than the ${part}: it gives up the rest with its next report`;
  if (member.held >= even) return even === 0 ? `${part}, which take turns` : part;
  if (snapshot.learning) return `less than the ${part}`;
  if (heldInSilence > 0) return `less than the ${part}: silent members hold ${plural(heldInSilence, unit)}`;
  return `a newcomer, with less than the ${part}: the others give up theirs with their next reports`;
}

/** Of a member whose share follows what it wants. */
function whyDemand(member: MemberSnapshot, want: number, facts: GroupFacts): string {
  const { snapshot, unit, even, heldInSilence } = facts;
  const wants = `wants ${plural(want, unit)}`;
  if (member.held >= want) return want === 0 ? "wants nothing" : `has all that it wants: ${plural(want, unit)}`;
  if (snapshot.learning) return wants;
  if (heldInSilence > 0) return `${wants}: silent members hold ${plural(heldInSilence, unit)}`;
  // Shares are whole numbers: less than one for each member is what is left of the division.
  if (snapshot.capacity - snapshot.held >= snapshot.members.length)
    return `${wants}, and is given more with its next report`;
  if (member.held >= even) return `${wants}: as much as the others that want more`;
  return `${wants}: the others give up theirs with their next reports`;
}

/** Said of a member that declares more than what counts. */
function lowered({ max }: MemberSnapshot, { snapshot, lowest }: GroupFacts): readonly string[] {
  if (max === null || max <= snapshot.capacity) return [];
  const by = lowest?.max === snapshot.capacity ? `member ${nameText(lowest.id)}` : "the limit in the store";
  return [`declares ${unitsText(max)}, lowered to ${unitsText(snapshot.capacity)} by ${by}`];
}

function ramp({ level }: MemberSnapshot, { snapshot, kind }: GroupFacts): readonly string[] {
  if (kind === "semaphore" || level === null || level >= snapshot.capacity) return [];
  return [`its ramp is at ${unitsText(level)} of ${unitsText(snapshot.capacity)}`];
}

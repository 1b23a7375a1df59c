import type { GroupSnapshot, LimitRecord, MemberSnapshot } from "@dt/core";
import type { LedgerKind } from "../stores/limiter.ts";
import { plural, rateText, timeText, unitsText } from "./amounts.ts";
import { explainMember } from "./explain-member.ts";
import { finding, inOrder, ofMembers, worstOf } from "./finding.ts";
import { type GroupFacts, groupFacts } from "./group-facts.ts";
import { judgePause, judgeStored } from "./judge-stored.ts";
import { nameText } from "./name-text.ts";
import type { Finding, LimiterReport, LimitReport, MemberReport, MemberState } from "./report.ts";

/** Below this part of the limit callers that wait do not wait for the limit. */
const NEARLY_ALL = 0.8;

/**
 * A throttle or a semaphore from its ledger.
 * @param silentAfterMs a member that reported nothing for so long counts as silent
 */
export function judgeLedger(
  kind: LedgerKind,
  name: string,
  snapshot: GroupSnapshot,
  stored: LimitRecord | undefined,
  silentAfterMs: number,
): LimiterReport {
  const facts = groupFacts(kind, snapshot, silentAfterMs);
  const limit = limitOf(facts);
  const findings = inOrder([
    ...judgeMembers(facts),
    ...judgeStored(stored, snapshot.members.length > 0, snapshot.stored !== undefined),
    ...judgePause(facts.pausedForMs),
    ...judgeUse(facts, limit),
    ...judgeChange(facts),
    ...judgeIdle(facts),
  ]);
  return {
    kind,
    name,
    state: worstOf(findings.map(({ state }) => state)),
    findings,
    limits: snapshot.capacity > 0 ? [limit] : [],
    members: snapshot.members.map((member) => reportOf(member, facts)),
    ...(facts.waiting !== null && { waiting: facts.waiting }),
    pausedForMs: facts.pausedForMs,
    generation: snapshot.generation,
    ...(stored && { stored }),
  };
}

function limitOf({ kind, unit, snapshot, used, waiting }: GroupFacts): LimitReport {
  const max = snapshot.capacity;
  const isUsedUp = used !== null && max > 0 && used >= max;
  const waits = (waiting ?? 0) > 0;
  return {
    name: `${unit}s`,
    max,
    windowMs: kind === "throttle" ? snapshot.intervalMs : null,
    used,
    utilization: used === null || max === 0 ? null : used / max,
    binds: kind === "throttle" ? isUsedUp || (waits && (used ?? 0) >= NEARLY_ALL * max) : isUsedUp && waits,
  };
}

function reportOf(member: MemberSnapshot, facts: GroupFacts): MemberReport {
  const { id, held, max, used = null, waiting = null, want = null, silentMs } = member;
  const state = facts.stateOf(member);
  const why = explainMember(member, facts);
  return { id, held, evenShare: facts.even, max, used, waiting, want, silentMs, state, why };
}

/** Members that are not as they should be. */
function judgeMembers(facts: GroupFacts): readonly Finding[] {
  const { snapshot, unit } = facts;
  const { memberCount, members } = snapshot;
  const of = (state: MemberState, text: (member: MemberSnapshot) => string, code: "silent" | "fenced"): Finding[] =>
    members
      .filter((member) => facts.stateOf(member) === state)
      .sort((one, other) => other.held - one.held)
      .map((member) => ({ ...finding("attention", code, text(member)), member: member.id }));
  const fenced = of("fenced", ({ id }) => `another process has the id of member ${nameText(id)}`, "fenced");
  const silent = of(
    "silent",
    ({ id, silentMs, held }) =>
      `member ${nameText(id)} silent for ${timeText(silentMs)}${held > 0 ? `, holds ${plural(held, unit)}` : ""}`,
    "silent",
  );
  const counts = memberCount === members.length ? [] : [miscounted(memberCount, members.length)];
  return [
    ...counts,
    ...ofMembers(fenced, (rest) => `${plural(rest, "more member")} whose ids other processes have`),
    ...ofMembers(silent, (rest) => `${plural(rest, "more member")} silent`),
    ...judgeMaxes(facts),
  ];
}

function miscounted(counted: number, found: number): Finding {
  const counts = `its row counts ${plural(counted, "member")}, and ${found.toLocaleString("en-US")} are there`;
  return finding("attention", "miscounted", `${counts}: dt repair counts them again`);
}

/** Members that declare other limits than the smallest one lower nothing: the one that declares it does. */
function judgeMaxes({ lowest, highestMax, snapshot }: GroupFacts): readonly Finding[] {
  if (lowest === undefined || highestMax <= lowest.max) return [];
  const { id, max } = lowest;
  const others = snapshot.members.filter((member) => member.max !== null && member.max > max).length;
  const text = `limit lowered to ${unitsText(max)} by member ${nameText(id)}; ${others === 1 ? "another one declares" : `${others} others declare`} more`;
  return [{ ...finding("attention", "unequal", text), member: id }];
}

/** Whether the limit is used up, and if not, why callers wait. */
function judgeUse(facts: GroupFacts, limit: LimitReport): readonly Finding[] {
  const { kind, unit, snapshot, used, pausedForMs } = facts;
  const waiting = facts.waiting ?? 0;
  const found: Finding[] = [];
  const waits = waiting > 0 ? `, ${plural(waiting, unit)} waited for` : "";
  if (kind === "semaphore" && snapshot.held > snapshot.capacity) {
    const text = `${snapshot.held} of ${plural(snapshot.capacity, unit)} are held: no call begins until enough have ended`;
    found.push(finding("limited", "over", text));
  }
  if (limit.binds) {
    const verb = kind === "throttle" ? "used" : "in use";
    const of = rateText(limit.max, limit.windowMs);
    found.push(
      finding("limited", "binds", `limited by ${limit.name}: ${unitsText(used ?? 0)} of ${of} ${verb}${waits}`),
    );
  } else if (waiting > 0 && pausedForMs <= 0 && !snapshot.learning) {
    const rest =
      limit.utilization === null ? "" : `, while ${Math.round(100 * limit.utilization)} % of the limit is used`;
    const remedy = facts.isEven && facts.idle > 0 ? "; the shares are even: demand gives idle parts to the others" : "";
    found.push(finding("limited", "waiting", `callers wait for ${plural(waiting, unit)}${rest}${remedy}`));
  }
  return found;
}

/** What is on its way to another state. */
function judgeChange({ snapshot, isEven, waiting }: GroupFacts): readonly Finding[] {
  const { learning, adopted, members } = snapshot;
  if (members.length === 0) return [finding("ok", "unused", "no members")];
  if (learning) {
    const text = "it learns what was held before: no share is raised until then";
    return [finding((waiting ?? 0) > 0 ? "limited" : "ok", "learning", text)];
  }
  if (!isEven || adopted >= members.length) return [];
  return [finding("ok", "agreeing", `${adopted} of ${plural(members.length, "member")} adopted the newest change`)];
}

function judgeIdle({ idle, snapshot }: GroupFacts): readonly Finding[] {
  const { length } = snapshot.members;
  if (idle === 0) return [];
  const who = idle === length ? "all members" : `${idle} of ${plural(length, "member")}`;
  return [finding("ok", "idle", `${who} idle`)];
}

import { plural } from "./amounts.ts";
import { worseFirst } from "./finding.ts";
import { nameText } from "./name-text.ts";
import type { Finding, LimiterReport, State } from "./report.ts";

/** Findings of one limiter in the sentence. */
const MOST_FINDINGS = 3;

/** One sentence about a fleet: what matters most, and how many other limiters matter as well. */
export function verdictOf(limiters: readonly LimiterReport[]): string {
  const [worst] = limiters.toSorted(worstFirst);
  if (worst === undefined) return "the store keeps nothing of any limiter";
  if (worst.state === "ok" && limiters.length > 1) return `${plural(limiters.length, "limiter")}, none is used up`;
  if (worst.findings.length === 0) return `${nameText(worst.name)}: not used up`;
  const first = sentence(limiters, worst);
  const others = limiters.filter((limiter) => limiter !== worst);
  return [
    first,
    ...rest(others, "attention", "needs attention", "need attention"),
    ...rest(others, "limited", "is limited", "are limited"),
  ].join("; ");
}

/** The worst limiter first: by state, then by utilization, then by what is waited for; otherwise by name and kind. */
export function worstFirst(one: LimiterReport, other: LimiterReport): number {
  return (
    worseFirst(one.state, other.state) ||
    utilizationOf(other) - utilizationOf(one) ||
    (other.waiting ?? 0) - (one.waiting ?? 0) ||
    byName(one, other)
  );
}

/** By name, then by kind. */
export function byName(one: LimiterReport, other: LimiterReport): number {
  return compare(one.name, other.name) || compare(one.kind, other.kind);
}

/** Of its fullest limit or key; -1 where it is not known. */
export function utilizationOf({ limits, keys }: LimiterReport): number {
  const all = [...limits.map(({ utilization }) => utilization ?? -1), keys?.busiest[0]?.utilization ?? -1];
  return Math.max(...all);
}

function sentence(limiters: readonly LimiterReport[], limiter: LimiterReport): string {
  const { kind, name, findings } = limiter;
  const isAlone = limiters.every((other) => other.name !== name || other.kind === kind);
  const who = isAlone ? nameText(name) : `${kind} ${nameText(name)}`;
  const first = new Map(findings.toReversed().map((finding) => [finding.code, finding]));
  const texts = findings.filter((finding) => first.get(finding.code) === finding).slice(0, MOST_FINDINGS);
  return `${who}: ${texts.map((finding) => withOthers(limiter, finding)).join("; ")}`;
}

/** A finding about a member, and how many others it is also true of. */
function withOthers({ members = [] }: LimiterReport, { code, text, member }: Finding): string {
  const others = member === undefined ? 0 : members.filter(({ state }) => state === code).length - 1;
  return others > 0 ? `${text}, and ${others.toLocaleString("en-US")} more` : text;
}

function rest(others: readonly LimiterReport[], state: State, one: string, many: string): readonly string[] {
  const { length } = others.filter((limiter) => limiter.state === state);
  if (length === 0) return [];
  return [length === 1 ? `1 other limiter ${one}` : `${length} other limiters ${many}`];
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

import type { LimiterKind } from "../stores/limiter.ts";
import type { Finding, FindingCode, LimiterReport, State } from "./report.ts";

const RANKS: Readonly<Record<State, number>> = { ok: 0, limited: 1, attention: 2 };

/** The most findings of one code that are written out one by one. */
const MOST_ALIKE = 5;

/** Less than 0 where the first state is worse. */
export function worseFirst(one: State, other: State): number {
  return RANKS[other] - RANKS[one];
}

/** The worst of these states; `ok` of none. */
export function worstOf(states: readonly State[]): State {
  return states.reduce((worst, state) => (RANKS[state] > RANKS[worst] ? state : worst), "ok");
}

export function finding(state: State, code: FindingCode, text: string): Finding {
  return { state, code, text };
}

/**
 * One finding for each member that has it; where they are many, the first ones and a sum.
 * @param rest the sum: `"7 more members are silent"`
 */
export function ofMembers(all: readonly Finding[], rest: (count: number) => string): readonly Finding[] {
  const [first] = all;
  if (first === undefined || all.length <= MOST_ALIKE) return all;
  return [...all.slice(0, MOST_ALIKE), finding(first.state, first.code, rest(all.length - MOST_ALIKE))];
}

/** The worst first; otherwise in the order in which they were found. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => worseFirst(one.state, other.state));
}

/** A limiter of which nothing can be told but why. */
export function unreadable(kind: LimiterKind, name: string, error: { code: string; message: string }): LimiterReport {
  const { code, message } = error;
  return {
    kind,
    name,
    state: "attention",
    findings: [finding("attention", "damaged", `cannot be read: ${message}`)],
    limits: [],
    pausedForMs: 0,
    error: { code, message },
  };
}

/** The same limiter with more findings. */
export function withFindings(report: LimiterReport, more: readonly Finding[]): LimiterReport {
  if (more.length === 0) return report;
  const findings = inOrder([...report.findings, ...more]);
  return { ...report, findings, state: worstOf(findings.map(({ state }) => state)) };
}

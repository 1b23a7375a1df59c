import type { Verdict } from "../judge.ts";

/** One scenario under one limiter, over all seeds: the means, and the worst seed beside them. */
export interface SuiteResult {
  /** As in the titles: S1. */
  readonly scenario: string;
  readonly algorithm: string;
  /** How many seeds. */
  readonly seeds: number;
  readonly goodput: number;
  /** Null when in some run nothing succeeded in the measured time. */
  readonly p99: number | null;
  readonly settleSeconds: number;
  readonly jain: number;
  readonly timeouts: number;
  readonly refused: number;
  readonly sent: number;
  /** Null when nothing comes after the measured time. */
  readonly afterwards: number | null;
  readonly worst: Pick<SuiteResult, "goodput" | "p99" | "settleSeconds" | "jain">;
}

export function summarise(scenario: string, algorithm: string, verdicts: readonly Verdict[]): SuiteResult {
  const mean = (name: keyof Verdict): number =>
    round(verdicts.reduce((sum, verdict) => sum + verdict[name], 0) / verdicts.length);
  const least = (name: keyof Verdict): number => round(Math.min(...verdicts.map((verdict) => verdict[name])));
  const most = (name: keyof Verdict): number => round(Math.max(...verdicts.map((verdict) => verdict[name])));
  return {
    scenario,
    algorithm,
    seeds: verdicts.length,
    goodput: mean("goodput"),
    p99: orNull(mean("p99")),
    settleSeconds: mean("settleSeconds"),
    jain: mean("jain"),
    timeouts: mean("timeouts"),
    refused: mean("refused"),
    sent: mean("sent"),
    afterwards: orNull(mean("afterwards")),
    worst: {
      goodput: least("goodput"),
      p99: orNull(most("p99")),
      settleSeconds: most("settleSeconds"),
      jain: least("jain"),
    },
  };
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

const round = (value: number): number => Math.round(10_000 * value) / 10_000;

import type { Outcome } from "./run-seed.ts";

/** What a soak reports. */
export interface Summary {
  readonly profile: string;
  readonly seeds: number;
  /** Seeds with a violation. */
  readonly violations: number;
  /** Largest ratio of an epoch's tokens to the `max` in force; 1 is full, above 1 is a broken promise. */
  readonly worstOvershoot: number;
  readonly seedsAboveMax: number;
  readonly epochsAboveMax: number;
  readonly medianUtilisation: number;
  readonly failingSeeds: readonly number[];
}

/** What `--json` prints. */
export type BriefSummary = Pick<
  Summary,
  "seeds" | "violations" | "worstOvershoot" | "medianUtilisation" | "failingSeeds"
>;

export function briefly(summary: Summary): BriefSummary {
  const { seeds, violations, worstOvershoot, medianUtilisation, failingSeeds } = summary;
  return { seeds, violations, worstOvershoot, medianUtilisation, failingSeeds };
}

export function summarise(profile: string, outcomes: readonly Outcome[]): Summary {
  const failing = outcomes.filter((outcome) => outcome.violations.length > 0).map((outcome) => outcome.seed);
  return {
    profile,
    seeds: outcomes.length,
    violations: failing.length,
    worstOvershoot: outcomes.reduce((worst, outcome) => Math.max(worst, outcome.worstOvershoot), 0),
    seedsAboveMax: outcomes.filter((outcome) => outcome.epochsAbove > 0).length,
    epochsAboveMax: outcomes.reduce((sum, outcome) => sum + outcome.epochsAbove, 0),
    medianUtilisation: median(outcomes.map((outcome) => outcome.utilisation)),
    failingSeeds: failing.sort((a, b) => a - b),
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a part `q` of them lies; 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

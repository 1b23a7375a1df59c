import type { Shares } from "../fleet/slot.ts";
import type { GivenBack } from "../history/boot-rules.ts";
import type { Findings } from "../history/check-history.ts";
import { type Overshoot, overshootOf } from "../history/overshoot.ts";
import { type FaultRecord, type Recovery, recoveries } from "../history/recovery.ts";
import { TIMINGS } from "../timings.ts";

/** What a run found. */
export interface ChaosResult {
  readonly store: string;
  readonly minutes: number;
  /** Tokens granted. */
  readonly grants: number;
  /** Faults brought about. */
  readonly faults: number;
  readonly violations: number;
  /** The most tokens that all workers together granted in one epoch. */
  readonly worstEpoch: number;
  /** The group's limit. */
  readonly max: number;
  readonly seed: number;
  readonly workers: number;
  /** How they shared the limit. */
  readonly shares: Shares;
  /** Epochs in which anything was granted. */
  readonly epochs: number;
  /** Tokens granted, of those that the epochs from the first grant to the last had. */
  readonly utilisation: number;
  /** Tokens granted by workers that release theirs evenly. */
  readonly evenly: number;
  /** Tokens that workers gave back, in the epoch of their grant or later. */
  readonly givenBack: GivenBack;
  /** For a store that may lose writes, where the sum is not promised. */
  readonly overshoot?: Overshoot;
  readonly faultKinds: Readonly<Record<string, number>>;
  /** How long after a fault was mended the group was at full use again, where no other fault came between. */
  readonly recovery: Readonly<Record<string, Recovery>>;
  /** What was left out, and why. */
  readonly skipped: readonly string[];
}

/** What a run was, besides what it found. */
export interface RunFacts {
  readonly store: string;
  readonly minutes: number;
  readonly max: number;
  readonly seed: number;
  readonly workers: number;
  readonly shares: Shares;
  readonly losesWrites: boolean;
  readonly skipped: readonly string[];
}

export function toResult(run: RunFacts, faults: readonly FaultRecord[], findings: Findings): ChaosResult {
  const { store, minutes, max, seed, workers, shares, losesWrites, skipped } = run;
  const { epochs, tokens, evenly, givenBack, violations, worstEpoch } = findings;
  const faultKinds: Record<string, number> = {};
  for (const { kind } of faults) faultKinds[kind] = (faultKinds[kind] ?? 0) + 1;
  return {
    store,
    minutes,
    grants: tokens,
    faults: faults.length,
    violations: violations.length,
    worstEpoch,
    max,
    seed,
    workers,
    shares,
    epochs: epochs.length,
    utilisation: rounded(tokens / (max * passedEpochs(findings))),
    evenly,
    givenBack,
    ...(losesWrites && { overshoot: overshootOf(epochs) }),
    faultKinds,
    recovery: recoveries(faults, epochs),
    skipped,
  };
}

function passedEpochs({ epochs }: Findings): number {
  const times = epochs.map(({ firstMs }) => firstMs);
  return Math.max(1, Math.round((Math.max(...times) - Math.min(...times)) / TIMINGS.intervalMs) + 1);
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

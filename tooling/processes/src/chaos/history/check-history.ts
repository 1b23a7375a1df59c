import type { Timings } from "../timings.ts";
import type { ClockKind } from "../worker/config.ts";
import { checkBoot, type GivenBack, type Grant } from "./boot-rules.ts";
import type { BootLog } from "./entry.ts";
import { checkLabels } from "./epoch-labels.ts";
import { type EpochSum, sumEpochs } from "./epoch-sums.ts";
import { BROKEN_BY_LOST_WRITES, type Violation } from "./violation.ts";

/** What a history is checked against. */
export interface HistoryFacts {
  readonly timings: Timings;
  /** The largest limit that was ever configured. */
  readonly max: number;
  /** Where the store's time comes from; the processes' ideas of a hybrid one may lie apart by 2 s. */
  readonly clock: ClockKind;
  /** True for a store that may lose acknowledged writes: the sums of its epochs are measured, not promised. */
  readonly losesWrites: boolean;
}

export interface Findings {
  /** What must not happen, and did. */
  readonly violations: readonly Violation[];
  /** The same for what is not promised, since the store loses writes. */
  readonly overshoots: readonly Violation[];
  readonly epochs: readonly EpochSum[];
  /** Tokens granted in all; one that was given back in its epoch and granted again counts once. */
  readonly tokens: number;
  /** Those of them that were to be released evenly. */
  readonly evenly: number;
  readonly givenBack: GivenBack;
  /** The most tokens of any epoch. */
  readonly worstEpoch: number;
  /** The most of any epoch, as a multiple of its capacity. */
  readonly worstRatio: number;
}

const HYBRID_APART_MS = 4_000;

/**
 * Checks a whole history: pure, and from nothing but what the processes wrote down.
 * @throws Error for a history without grants, which would prove nothing
 */
export function checkHistory(logs: readonly BootLog[], facts: HistoryFacts): Findings {
  const boots = logs.map((log) => checkBoot(log, facts.timings));
  const grants = boots.flatMap((boot) => boot.grants);
  if (grants.length === 0) throw new Error("nothing was granted: there is no history to check");
  const epochs = sumEpochs(boots.flatMap((boot) => boot.movements));
  const all = [
    ...boots.flatMap((boot) => boot.violations),
    ...epochs.flatMap((sum) => checkSum(sum, facts.max)),
    ...(facts.clock === "hybrid" ? [] : checkLabels(logs, grants, facts.timings)),
    ...checkRate(grants, facts),
  ];
  const excused = ({ rule }: Violation): boolean => facts.losesWrites && BROKEN_BY_LOST_WRITES.includes(rule);
  return {
    violations: all.filter((violation) => !excused(violation)),
    overshoots: all.filter(excused),
    epochs,
    tokens: sumOf(grants),
    evenly: sumOf(boots.filter(({ even }) => even).flatMap((boot) => boot.grants)),
    givenBack: {
      inTime: boots.reduce((sum, { givenBack }) => sum + givenBack.inTime, 0),
      late: boots.reduce((sum, { givenBack }) => sum + givenBack.late, 0),
    },
    worstEpoch: epochs.reduce((most, { tokens }) => Math.max(most, tokens), 0),
    worstRatio: epochs.reduce((most, { tokens, limit }) => Math.max(most, tokens / limit), 0),
  };
}

function checkSum({ epoch, tokens, limit, byBoot }: EpochSum, max: number): Violation[] {
  const parts = [...byBoot].map(([boot, part]) => `${boot}: ${part}`).join(", ");
  const all = { boot: "all", epoch };
  const found: Violation[] = [];
  if (tokens > limit) found.push({ rule: "epoch-sum", ...all, detail: `${tokens} of ${limit} granted (${parts})` });
  if (limit > max) found.push({ rule: "capacity", ...all, detail: `a capacity of ${limit}, at most ${max} was set` });
  return found;
}

/** Epochs pass no faster than time does. The last defence, for every kind of clock. */
function checkRate(grants: readonly Grant[], { timings, max, clock }: HistoryFacts): Violation[] {
  const times = grants.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const apartMs = 2 * timings.clockErrorMs + (clock === "hybrid" ? HYBRID_APART_MS : 0);
  const passedMs = (times.at(-1) as number) - (times[0] as number) + apartMs;
  const most = max * (Math.ceil(passedMs / timings.intervalMs) + 1);
  const tokens = sumOf(grants);
  if (tokens <= most) return [];
  return [{ rule: "rate", boot: "all", detail: `${tokens} tokens in ${passedMs.toFixed(0)} ms, ${most} at most` }];
}

function sumOf(grants: readonly Grant[]): number {
  return grants.reduce((sum, { tokens }) => sum + tokens, 0);
}

import type { Release } from "@dt/core";
import type { RunRecord } from "../record.ts";
import { worstWindow } from "../sliding-window.ts";
import { TIMINGS } from "../timings.ts";
import { convergenceOf } from "./convergence.ts";
import { Epochs, utilisationWithoutChurn } from "./epochs.ts";
import { arrivalJitter, type Percentiles, transit } from "./jitter.ts";

/** One condition of a pass, and whether it held. */
export interface Check {
  readonly check: string;
  readonly pass: boolean;
  /** What was found, beside what was asked for. */
  readonly detail: string;
}

/** What was asked for. */
export interface DemoSettings {
  /** The store's address, without a password. */
  readonly store: string;
  /** Requests that the server allows in any sliding second. */
  readonly max: number;
  /** Tokens of `max` left unused for arrival jitter. */
  readonly headroom: number;
  readonly release: Release;
  readonly workers: number;
  readonly seconds: number;
}

/** One run of the demo in numbers: what `--json` prints, and all that reports show. */
export interface DemoResult extends DemoSettings {
  /** What the throttle was given as its `max`: the server's without the headroom. */
  readonly limit: number;
  readonly served: number;
  readonly rejected429: number;
  /** The most requests that reached the server in any sliding second, refused ones included. */
  readonly worstSlidingSecond: number;
  /** Tokens that all workers together granted, also the killed one. */
  readonly granted: number;
  readonly maxGrantedPerEpoch: number;
  /** Tokens granted in the epochs without churn, of the server's `max` in each of them; 0 to 1. */
  readonly utilisation: number;
  readonly epochsWithoutChurn: number;
  /**
   * For each change, in milliseconds, how long until the shares were right; null when they were not before the next
   * one.
   */
  readonly convergenceMs: readonly (number | null)[];
  readonly startConvergenceMs: number | null;
  readonly changes: readonly { readonly change: string; readonly worker: number; readonly atSeconds: number }[];
  readonly arrivalJitterMs: Percentiles;
  readonly transitMs: Percentiles;
  readonly timings: typeof TIMINGS;
  /** Whether the server and the workers ran with a raised priority. */
  readonly raisedPriority: boolean;
  /** What went wrong in workers and was got over: how often each. */
  readonly troubles: Readonly<Record<string, number>>;
  readonly checks: readonly Check[];
  readonly pass: boolean;
}

/** Everything that is concluded from a run's record. */
export function measure(settings: DemoSettings, record: RunRecord): DemoResult {
  const { max, workers, headroom } = settings;
  const { arrivals, startMs, changes } = record;
  const limit = max - headroom;
  const epochs = new Epochs(record.entries);
  const { utilisation, epochs: epochsWithoutChurn } = utilisationWithoutChurn(epochs, record, max);
  const [start, ...convergence] = convergenceOf(record, workers, limit);
  const atMs = arrivals.map((arrival) => arrival.atMs);
  const served = arrivals.filter((arrival) => arrival.served).length;
  const facts = {
    ...settings,
    limit,
    served,
    rejected429: arrivals.length - served,
    worstSlidingSecond: worstWindow(atMs, TIMINGS.intervalMs),
    granted: epochs.total,
    maxGrantedPerEpoch: epochs.most,
    // Never rounded up: it is judged.
    utilisation: Math.floor(1e4 * utilisation) / 1e4,
    epochsWithoutChurn,
    convergenceMs: convergence.map(({ tookMs }) => wholeOrNull(tookMs)),
    startConvergenceMs: wholeOrNull(start?.tookMs),
    changes: changes.map((change) => ({
      change: change.kind,
      worker: change.worker,
      atSeconds: rounded((change.atMs - startMs) / 1_000, 2),
    })),
    arrivalJitterMs: roundedAll(arrivalJitter(atMs, limit, TIMINGS.intervalMs)),
    transitMs: roundedAll(transit(arrivals)),
    timings: TIMINGS,
    raisedPriority: record.raised,
    troubles: countTroubles(record),
  };
  const checks = judge(facts);
  return { ...facts, checks, pass: checks.every(({ pass }) => pass) };
}

function countTroubles({ entries }: RunRecord): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { entry } of entries) {
    if (entry.type !== "trouble") continue;
    const what = `${entry.what}: ${entry.message}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

function roundedAll({ p50, p90, p99, max }: Percentiles): Percentiles {
  return { p50: rounded(p50, 2), p90: rounded(p90, 2), p99: rounded(p99, 2), max: rounded(max, 2) };
}

function wholeOrNull(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

const LEAST_UTILISATION = 0.95;
const MOST_IN_A_SECOND = 1.05;
const MOST_REJECTED = 0.005;

/**
 * The verdict on a run. The conditions on the sliding second hold for tokens released evenly; a share released at once
 * is a burst by intent.
 */
export function judge(facts: Omit<DemoResult, "checks" | "pass">): Check[] {
  const { max, limit, headroom, served, rejected429, granted, worstSlidingSecond, maxGrantedPerEpoch } = facts;
  const arrived = served + rejected429;
  const checks: Check[] = [
    {
      check: "no epoch above the limit",
      pass: granted > 0 && maxGrantedPerEpoch <= limit,
      detail: `at most ${maxGrantedPerEpoch} tokens granted in an epoch, of ${limit}${headroom > 0 ? ` (${max} less ${headroom} headroom)` : ""}`,
    },
    {
      check: "no request without a token",
      pass: arrived <= granted,
      detail: `${arrived} requests arrived, ${granted} tokens were granted`,
    },
    {
      check: "utilisation without churn",
      pass: facts.epochsWithoutChurn > 0 && facts.utilisation >= LEAST_UTILISATION,
      detail: utilisationDetail(facts),
    },
    {
      check: "shares right after every change",
      pass: facts.startConvergenceMs !== null && facts.convergenceMs.every((ms) => ms !== null),
      detail: [
        `start ${milliseconds(facts.startConvergenceMs)}`,
        ...facts.changes.map(
          ({ change }, index) => `${CHANGE_NAMES[change]} ${milliseconds(facts.convergenceMs[index] ?? null)}`,
        ),
      ].join(", "),
    },
  ];
  if (facts.release === "epoch") return checks;
  return [
    ...checks,
    {
      check: "worst sliding second",
      pass: worstSlidingSecond <= MOST_IN_A_SECOND * max,
      detail: `${worstSlidingSecond} requests, of ${max}`,
    },
    {
      check: "429s",
      pass: arrived > 0 && rejected429 <= MOST_REJECTED * arrived,
      detail: `${rejected429} of ${arrived} requests${arrived > 0 ? ` (${((100 * rejected429) / arrived).toFixed(2)} %)` : ""}, at most ${100 * MOST_REJECTED} %`,
    },
  ];
}

const CHANGE_NAMES: Readonly<Record<string, string>> = { join: "join", kill: "crash", leave: "leave" };

function utilisationDetail({ utilisation, epochsWithoutChurn, headroom, max }: Omit<DemoResult, "checks" | "pass">) {
  const found = `${(100 * utilisation).toFixed(1)} % of the server's limit in ${epochsWithoutChurn} epochs`;
  const headroomShare = headroom / max;
  if (1 - headroomShare >= LEAST_UTILISATION) return found;
  return `${found}; the headroom alone costs ${(100 * headroomShare).toFixed(0)} %: a larger --max needs less of it`;
}

function milliseconds(value: number | null): string {
  return value === null ? "never" : `${value} ms`;
}

import type { Release } from "@dt/core";
import type { RunRecord } from "../record.ts";
import { TIMINGS } from "../timings.ts";
import { convergenceOf } from "./convergence.ts";
import { Epochs, utilisationWithoutChurn } from "./epochs.ts";
import { arrivalJitter, type Percentiles, transit } from "./jitter.ts";
import { serverView } from "./server-view.ts";

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
  /** What the demo ran on. */
  readonly machine: string;
  /** When, as YYYY-MM-DD. */
  readonly date: string;
}

/** What a process may call a second when each has a fixed, even part of the limit. */
export function fixedPart({ max, headroom, workers }: Pick<DemoSettings, "max" | "headroom" | "workers">): number {
  return Math.max(1, Math.floor((max - headroom) / workers));
}

/** What the records of a run show, in numbers. */
export type Facts = ReturnType<typeof factsOf>;

/** @param parts of the fleet without a shared limit */
export function factsOf(settings: DemoSettings, record: RunRecord, parts: RunRecord) {
  const { max, workers, headroom } = settings;
  const { arrivals, startMs } = record;
  const limit = max - headroom;
  const epochs = new Epochs(record.entries);
  const { utilisation, epochs: epochsWithoutChurn } = utilisationWithoutChurn(epochs, record, max);
  const [start, ...convergence] = convergenceOf(record, workers, limit);
  const atMs = arrivals.map((arrival) => arrival.atMs);
  return {
    ...settings,
    /** What the throttle was given as its `max`: the server's without the headroom. */
    limit,
    ...serverView(record),
    /** Tokens that all workers together granted, also the killed one. */
    granted: epochs.total,
    maxGrantedPerEpoch: epochs.most,
    /** Of the server's `max` in the epochs without churn; 0 to 1. Never rounded up: it is judged. */
    utilisation: Math.floor(1e4 * utilisation) / 1e4,
    epochsWithoutChurn,
    /** For each change, how long until the shares were right; null when they were not before the next one. */
    convergenceMs: convergence.map(({ tookMs }) => wholeOrNull(tookMs)),
    startConvergenceMs: wholeOrNull(start?.tookMs),
    changes: record.changes.map(({ kind, worker, atMs }) => {
      return { change: kind, worker, atSeconds: rounded((atMs - startMs) / 1_000) };
    }),
    arrivalJitterMs: roundedAll(arrivalJitter(atMs, limit, TIMINGS.intervalMs)),
    transitMs: roundedAll(transit(arrivals)),
    timings: TIMINGS,
    /** Whether the server and the workers ran with a raised priority. */
    raisedPriority: record.raised,
    /** What went wrong in workers and was got over: how often each. */
    troubles: countTroubles(record),
    /** The fleet in which each process has a fixed part of the limit: how many calls a second, and what came of it. */
    fixedParts: { part: fixedPart(settings), ...serverView(parts) },
  };
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
  return { p50: rounded(p50), p90: rounded(p90), p99: rounded(p99), max: rounded(max) };
}

function wholeOrNull(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

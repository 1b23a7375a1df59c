import type { Book } from "./book.ts";
import { BIN_MS, type Ideal } from "./ideal.ts";
import type { Scenario } from "./scenario.ts";

/** How well a run went. */
export interface Verdict {
  /** Cost of successes in the measured time, as a part of the ideal. Chance may make it a little more than 1. */
  readonly goodput: number;
  /** The 99th percentile of latency over the one without load; NaN when nothing succeeded. */
  readonly p99: number;
  /** After the worst of the changes, how long until it went well again; see {@link settleSeconds}. */
  readonly settleSeconds: number;
  /** Jain's index of the clients' goodput: 1 when all have the same, 1/n when one has everything. */
  readonly jain: number;
  /** Goodput after the measured time, as a part of the ideal; NaN when nothing comes after it. */
  readonly afterwards: number;
  /** Of the calls sent: those that timed out, and those that the callee refused. */
  readonly timeouts: number;
  readonly refused: number;
  /** Cost of the calls sent, over what the callee could have done in that time. */
  readonly sent: number;
}

export function judge(scenario: Scenario, ideal: Ideal, book: Book): Verdict {
  const { fromSeconds, toSeconds } = scenario.measured;
  const { sent, timedOut, refused } = book.counts;
  const capacity = idealCost(ideal.capacity, fromSeconds, toSeconds);
  return {
    goodput: goodput(ideal, book, fromSeconds, toSeconds),
    p99: p99(ideal, book),
    settleSeconds: settleSeconds(ideal, book, scenario.seconds),
    jain: jain(book.ofClient),
    afterwards: toSeconds < scenario.seconds ? goodput(ideal, book, toSeconds, scenario.seconds) : Number.NaN,
    timeouts: sent === 0 ? 0 : timedOut / sent,
    refused: sent === 0 ? 0 : refused / sent,
    sent: book.sentCost / capacity,
  };
}

/** Cost of what succeeded from one second to another, as a part of what could have. */
export function goodput(ideal: Ideal, book: Book, fromSeconds: number, toSeconds: number): number {
  let cost = 0;
  const times = book.repliedMs.values;
  const costs = book.cost.values;
  for (let i = 0; i < times.length; i++) {
    const at = times[i] as number;
    if (at >= 1_000 * fromSeconds && at < 1_000 * toSeconds) cost += costs[i] as number;
  }
  return cost / idealCost(ideal.goodput, fromSeconds, toSeconds);
}

function idealCost(perSecond: Float64Array, fromSeconds: number, toSeconds: number): number {
  let sum = 0;
  const toBin = Math.round((1_000 * toSeconds) / BIN_MS);
  for (let bin = Math.round((1_000 * fromSeconds) / BIN_MS); bin < toBin; bin++)
    sum += ((perSecond[bin] as number) * BIN_MS) / 1_000;
  return sum;
}

/**
 * Each latency is taken as a multiple of the no-load percentile of its own time, so that a callee that got slower is
 * not held against the limiter.
 */
function p99(ideal: Ideal, { repliedMs, latencyMs, fromMs, toMs }: Book): number {
  const latencies = latencyMs.values;
  const multiples = new Float64Array(latencies.length);
  let count = 0;
  repliedMs.values.forEach((at, index) => {
    if (at < fromMs || at >= toMs) return;
    const latency = latencies[index] as number;
    const sentBin = Math.max(0, Math.floor((at - latency) / BIN_MS));
    multiples[count++] = latency / (ideal.noLoadP99Ms[sentBin] as number);
  });
  return count === 0 ? Number.NaN : quantile(multiples.subarray(0, count), 0.99);
}

export function quantile(values: Float64Array, part: number): number {
  const sorted = values.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number;
}

const SETTLED_MS = 3_000;
const SETTLED_PART = 0.95;

/**
 * The longest time, over all changes, from the change to the first three seconds of which this is true: 95 % of the
 * cost that came succeeded, or 95 % of the work that the servers can do went into calls that succeeded. In these terms
 * the ideal itself has no noise; a count of 3 s would be a matter of luck at a hundred calls a second. When it never
 * becomes true, the time to the end.
 */
export function settleSeconds(ideal: Ideal, book: Book, seconds: number): number {
  const bins = SETTLED_MS / BIN_MS;
  let longest = 0;
  for (const step of ideal.stepSeconds) {
    const first = Math.round((1_000 * step) / BIN_MS);
    let bin = first;
    while (bin + bins <= book.work.length && !goesWell(ideal, book, bin, bin + bins)) bin += 1;
    longest = Math.max(longest, bin + bins <= book.work.length ? ((bin - first) * BIN_MS) / 1_000 : seconds - step);
  }
  return longest;
}

function goesWell({ power }: Ideal, { arrived, answered, work }: Book, from: number, to: number): boolean {
  let came = 0;
  let succeeded = 0;
  let worked = 0;
  let possible = 0;
  for (let bin = from; bin < to; bin++) {
    came += arrived[bin] as number;
    succeeded += answered[bin] as number;
    worked += work[bin] as number;
    possible += (power[bin] as number) * BIN_MS;
  }
  return succeeded >= SETTLED_PART * came || worked >= SETTLED_PART * possible;
}

export function jain(values: Float64Array): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : sum ** 2 / (values.length * squares);
}

import type { Book } from "./book.ts";
import { BIN_MS, type Ideal } from "./ideal.ts";
import { quantile } from "./judge.ts";

/** What was going on, second by second. NaN where there was nothing to see. */
export interface Series {
  readonly seconds: readonly number[];
  /** Means over the second: the sum of the clients' limits, calls in flight, calls in the callee's queue. */
  readonly limit: readonly number[];
  readonly inflight: readonly number[];
  readonly queue: readonly number[];
  /** Cost of the successes that were answered in the second, and what could be had. */
  readonly goodput: readonly number[];
  readonly ideal: readonly number[];
  /** Of these, in milliseconds, and the 99th percentile without load. */
  readonly p50Ms: readonly number[];
  readonly p99Ms: readonly number[];
  readonly noLoadP99Ms: readonly number[];
}

const BINS = 1_000 / BIN_MS;

export function seriesOf(ideal: Ideal, book: Book): Series {
  const count = Math.floor(book.work.length / BINS);
  const latencies: number[][] = Array.from({ length: count }, () => []);
  const goodput = new Array<number>(count).fill(0);
  const costs = book.cost.values;
  const latency = book.latencyMs.values;
  book.repliedMs.values.forEach((at, index) => {
    const second = Math.floor(at / 1_000);
    latencies[second]?.push(latency[index] as number);
    if (second < count) goodput[second] = (goodput[second] as number) + (costs[index] as number);
  });
  const mean = (bins: Float64Array): number[] =>
    Array.from({ length: count }, (_, second) => {
      const part = bins.subarray(second * BINS, (second + 1) * BINS);
      return part.reduce((sum, value) => sum + value, 0) / BINS;
    });
  const part = (part: number): number[] =>
    latencies.map((ofSecond) => (ofSecond.length === 0 ? Number.NaN : quantile(Float64Array.from(ofSecond), part)));
  return {
    seconds: Array.from({ length: count }, (_, second) => second),
    limit: mean(book.limit),
    inflight: mean(book.inflight),
    queue: mean(book.queue),
    goodput,
    ideal: mean(ideal.goodput),
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    noLoadP99Ms: mean(ideal.noLoadP99Ms),
  };
}

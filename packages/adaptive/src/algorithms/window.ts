import type { CalleeReport, Outcome } from "../outcome/outcome.ts";
import type { SampleWindow } from "./algorithm.ts";

/** A latency below this is noise of the clock, or an answer that the callee did not give: in milliseconds. */
const SHORTEST_MS = 0.1;

/**
 * So many latencies are kept for the quantiles. Of more, a random choice is as good: the error of a median of 1,024 is
 * under 2 % of the ranks.
 */
const MOST_LATENCIES = 1_024;

/** A call that waited for no more than this part of its latency hardly waited: the callee was not full. */
const HARDLY = 0.05;

/** Of so many calls in a row the fastest is taken. */
export const GROUP = 12;

/** Collects what is seen of the callee until the window is closed. */
export class WindowCollector {
  startMs = 0;
  /** The highest cost in flight so far. */
  maxInflight = 0;
  /** Whether somebody had to wait, or was refused. */
  limited = false;
  /** Calls whose answer said how long they waited. */
  reports = 0;
  /** The shortest latency so far. */
  leastMs: number = Number.POSITIVE_INFINITY;
  readonly #random: () => number;
  readonly #latencies = new Float64Array(MOST_LATENCIES);
  #samples = 0;
  #successCost = 0;
  #sumMs = 0;
  #overloads = 0;
  #overloadCost = 0;
  #waitSumMs = 0;
  #unqueued = 0;
  /** The shortest latency of the present group, and that of the group before. */
  #groupLeastMs: number = Number.POSITIVE_INFINITY;
  #groupMs = Number.NaN;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Calls seen so far that say something: those that succeeded, and those that were too much. */
  get size(): number {
    return this.#samples + this.#overloads;
  }

  /** The mean latency so far, in milliseconds; NaN before the first success. */
  get meanMs(): number {
    return this.#sumMs / this.#samples;
  }

  /** Calls seen so far that were too much. */
  get overloads(): number {
    return this.#overloads;
  }

  /** Begins a window, with nothing in it. */
  begin(nowMs: number, inflight: number, limited: boolean): void {
    this.startMs = nowMs;
    this.maxInflight = inflight;
    this.limited = limited;
    this.#samples = 0;
    this.#successCost = 0;
    this.#sumMs = 0;
    this.leastMs = Number.POSITIVE_INFINITY;
    this.#groupLeastMs = Number.POSITIVE_INFINITY;
    this.#groupMs = Number.NaN;
    this.#overloads = 0;
    this.#overloadCost = 0;
    this.reports = 0;
    this.#waitSumMs = 0;
    this.#unqueued = 0;
  }

  /** A call has ended. Failures and ignored calls say nothing of how much the callee can take. */
  ended(latencyMs: number, cost: number, outcome: Outcome, report: CalleeReport | undefined): void {
    if (outcome === "success") {
      if (latencyMs >= SHORTEST_MS) this.success(latencyMs, cost, report?.queueWaitMs);
    } else if (outcome === "overload") this.overload(cost);
  }

  success(latencyMs: number, cost: number, queueWaitMs: number | undefined): void {
    const samples = ++this.#samples;
    this.#successCost += cost;
    this.#sumMs += latencyMs;
    if (latencyMs < this.leastMs) this.leastMs = latencyMs;
    if (latencyMs < this.#groupLeastMs) this.#groupLeastMs = latencyMs;
    if (samples % GROUP === 0) {
      this.#groupMs = this.#groupLeastMs;
      this.#groupLeastMs = Number.POSITIVE_INFINITY;
    }
    // Each of the samples is kept with the same chance.
    const place = samples <= MOST_LATENCIES ? samples - 1 : Math.floor(this.#random() * samples);
    if (place < MOST_LATENCIES) this.#latencies[place] = latencyMs;
    // The callee's word is not to be trusted: it comes from a header.
    if (queueWaitMs !== undefined && Number.isFinite(queueWaitMs) && queueWaitMs >= 0) {
      this.reports += 1;
      this.#waitSumMs += queueWaitMs;
      if (queueWaitMs <= HARDLY * latencyMs) this.#unqueued += 1;
    }
  }

  overload(cost: number): void {
    this.#overloads += 1;
    this.#overloadCost += cost;
  }

  /** Of fewer samples than make a group: the shortest of all. */
  get #floorMs(): number {
    return this.#samples < GROUP ? this.leastMs : this.#groupMs;
  }

  /** What was seen. Without `latencies` as if no call had succeeded: those that were too much are left. */
  seen(endMs: number, latencies = true): SampleWindow {
    const samples = latencies ? this.#samples : 0;
    const reports = latencies ? this.reports : 0;
    const sorted = this.#latencies.subarray(0, Math.min(samples, MOST_LATENCIES)).sort();
    return {
      startMs: this.startMs,
      endMs,
      samples,
      successCost: latencies ? this.#successCost : 0,
      minMs: samples > 0 ? this.leastMs : Number.NaN,
      floorMs: samples > 0 ? this.#floorMs : Number.NaN,
      meanMs: samples > 0 ? this.#sumMs / samples : Number.NaN,
      medianMs: quantile(sorted, 0.5),
      p90Ms: quantile(sorted, 0.9),
      overloads: this.#overloads,
      overloadCost: this.#overloadCost,
      maxInflight: this.maxInflight,
      limited: this.limited,
      reports,
      unqueued: latencies ? this.#unqueued : 0,
      queueWaitMs: reports > 0 ? this.#waitSumMs / reports : Number.NaN,
    };
  }
}

/** The smallest value that at least `part` of all are not above; NaN without any. */
function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

import { BIN_MS } from "./ideal.ts";
import type { Scenario } from "./scenario.ts";

/** Counts of calls in the measured time. */
export interface Counts {
  arrived: number;
  sent: number;
  succeeded: number;
  timedOut: number;
  refused: number;
  failed: number;
}

/** Something that is so much for so long; the mean of it within the measured time. */
export class Level {
  readonly #fromMs: number;
  readonly #toMs: number;
  #sum = 0;
  #value = 0;
  #sinceMs = 0;

  constructor(fromMs: number, toMs: number) {
    this.#fromMs = fromMs;
    this.#toMs = toMs;
  }

  set(value: number, nowMs: number): void {
    const from = Math.max(this.#sinceMs, this.#fromMs);
    const to = Math.min(nowMs, this.#toMs);
    if (to > from) this.#sum += this.#value * (to - from);
    this.#value = value;
    this.#sinceMs = nowMs;
  }

  get mean(): number {
    return this.#sum / (this.#toMs - this.#fromMs);
  }
}

/** Numbers that come one by one, in a typed array that grows. */
export class Column {
  #values = new Float64Array(4_096);
  size = 0;

  push(value: number): void {
    if (this.size === this.#values.length) {
      const grown = new Float64Array(2 * this.size);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.size++] = value;
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.size);
  }
}

/**
 * Writes down what happens, for whoever judges it later. Costs and latencies are of calls that succeeded, as their
 * clients saw them.
 */
export class Book {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: Counts = { arrived: 0, sent: 0, succeeded: 0, timedOut: 0, refused: 0, failed: 0 };
  /** When each success was known, its latency and its cost. */
  readonly repliedMs = new Column();
  readonly latencyMs = new Column();
  readonly cost = new Column();
  /**
   * For each bin: cost that arrived (without calls that fail by themselves), the part of it that succeeded later,
   * useful work in ms.
   */
  readonly arrived: Float64Array;
  readonly answered: Float64Array;
  readonly work: Float64Array;
  /** At the end of each bin: the sum of the limits, calls in flight, calls in the callee's queue. */
  readonly limit: Float64Array;
  readonly inflight: Float64Array;
  readonly queue: Float64Array;
  /** Cost of each client's successes while all clients were there. */
  readonly ofClient: Float64Array;
  /** Of the callee, in the measured time: calls waiting, calls running, and calls in flight as clients see it. */
  readonly waiting: Level;
  readonly running: Level;
  readonly awaited: Level;
  /** What the calls sent in the measured time weigh. */
  sentCost = 0;
  /**
   * Calls that servers were given in the measured time, how many of them had waited, their waits and times of work in
   * ms.
   */
  started = 0;
  hadWaited = 0;
  waitMs = 0;
  serviceMs = 0;
  readonly #allThereMs: number;

  constructor({ seconds, measured }: Scenario, clients: number, allThereSeconds: number) {
    this.fromMs = 1_000 * measured.fromSeconds;
    this.toMs = 1_000 * measured.toSeconds;
    this.#allThereMs = Math.max(this.fromMs, 1_000 * allThereSeconds);
    const bins = Math.round((1_000 * seconds) / BIN_MS);
    this.arrived = new Float64Array(bins);
    this.answered = new Float64Array(bins);
    this.work = new Float64Array(bins);
    this.limit = new Float64Array(bins);
    this.inflight = new Float64Array(bins);
    this.queue = new Float64Array(bins);
    this.ofClient = new Float64Array(clients);
    this.waiting = new Level(this.fromMs, this.toMs);
    this.running = new Level(this.fromMs, this.toMs);
    this.awaited = new Level(this.fromMs, this.toMs);
  }

  arrival(nowMs: number, cost: number, failing: boolean): void {
    if (this.#measured(nowMs)) this.counts.arrived += 1;
    if (!failing) add(this.arrived, nowMs, cost);
  }

  sent(nowMs: number, cost: number): void {
    if (!this.#measured(nowMs)) return;
    this.counts.sent += 1;
    this.sentCost += cost;
  }

  ended(nowMs: number, how: "timedOut" | "refused" | "failed"): void {
    if (this.#measured(nowMs)) this.counts[how] += 1;
  }

  succeeded(nowMs: number, client: number, sentMs: number, cost: number): void {
    this.repliedMs.push(nowMs);
    this.latencyMs.push(nowMs - sentMs);
    this.cost.push(cost);
    add(this.answered, sentMs, cost);
    if (this.#measured(nowMs)) this.counts.succeeded += 1;
    if (nowMs >= this.#allThereMs && nowMs < this.toMs)
      this.ofClient[client] = (this.ofClient[client] as number) + cost;
  }

  begun(nowMs: number, waitMs: number, serviceMs: number): void {
    if (!this.#measured(nowMs)) return;
    this.started += 1;
    this.waitMs += waitMs;
    this.serviceMs += serviceMs;
    if (waitMs > 0) this.hadWaited += 1;
  }

  /** Work that was of use, spread over the time that it took. */
  useful(fromMs: number, toMs: number, workMs: number): void {
    const lastBin = Math.floor(toMs / BIN_MS);
    for (let bin = Math.floor(fromMs / BIN_MS); bin <= lastBin && bin < this.work.length; bin++) {
      const part = Math.min(toMs, (bin + 1) * BIN_MS) - Math.max(fromMs, bin * BIN_MS);
      this.work[bin] = (this.work[bin] as number) + (toMs === fromMs ? workMs : (workMs * part) / (toMs - fromMs));
    }
  }

  #measured(nowMs: number): boolean {
    return nowMs >= this.fromMs && nowMs < this.toMs;
  }
}

function add(bins: Float64Array, atMs: number, value: number): void {
  const bin = Math.floor(atMs / BIN_MS);
  if (bin < bins.length) bins[bin] = (bins[bin] as number) + value;
}

import type { SampleWindow } from "./algorithm.ts";

/**
 * The knee is where more in flight stops bringing more answers. It is the second opinion: a callee that works on all
 * calls at once shows no queue, and answers from a cache hide one. Batches of windows in which the limit was reached
 * are compared: rate against limit.
 */
export interface Knee {
  /** The highest limit that was seen to pay; NaN before the first batch. */
  readonly limit: number;
  /** The cost answered in a millisecond there. */
  readonly rate: number;
  /** Until then, on the runtime's clock, the limit stays near the knee. */
  readonly stayUntilMs: number;
  /** Whether a queue was seen when the stay began: then it explains the knee. */
  readonly queued: boolean;
  /** The windows that are being compared. */
  readonly batch: Batch;
}

interface Batch {
  readonly samples: number;
  readonly cost: number;
  readonly ms: number;
  /** The sum of the samples' latencies. */
  readonly latencyMs: number;
  /** The sum of limit times milliseconds. */
  readonly limitMs: number;
}

const NO_BATCH: Batch = { samples: 0, cost: 0, ms: 0, latencyMs: 0, limitMs: 0 };
export const NO_KNEE: Knee = { limit: Number.NaN, rate: Number.NaN, stayUntilMs: 0, queued: false, batch: NO_BATCH };

/** 200 answers tell a rate within 7 %. */
const BATCH_SAMPLES = 200;
const BATCH_MS = 500;
/** In so many latencies most calls that end were also begun, and so under the limit that is compared. */
const BATCH_LATENCIES = 4;
/**
 * A limit so much higher is compared; it must have brought a third of what it would if every call more were an answer
 * more.
 */
const COMPARED_AT = 1.5;
const LEAST_GAIN = 1 / 3;
/** No growth of the limit halves what is answered: then the callee has changed, and nothing is known of it. */
const ANOTHER = 0.5;
/** How far above the knee the limit may be. */
const HEADROOM = 1.25;
/** How far it may be ahead of what was compared. */
const AHEAD = 4;
/** For how many times as long as the comparison took the limit stays: what it costs to try again is a small part. */
const STAY_BATCHES = 20;

/** `limit` is the one under which the window was seen. */
export function seeKnee(knee: Knee, limit: number, window: SampleWindow, random: () => number): Knee {
  if (!window.limited || window.samples === 0) return knee;
  const ms = window.endMs - window.startMs;
  const batch = {
    samples: knee.batch.samples + window.samples,
    cost: knee.batch.cost + window.successCost,
    ms: knee.batch.ms + ms,
    latencyMs: knee.batch.latencyMs + window.samples * window.meanMs,
    limitMs: knee.batch.limitMs + limit * ms,
  };
  const leastMs = Math.max(BATCH_MS, (BATCH_LATENCIES * batch.latencyMs) / batch.samples);
  if (batch.samples < BATCH_SAMPLES || batch.ms < leastMs) return { ...knee, batch };
  return compare({ ...knee, batch: NO_BATCH }, batch, window.endMs, random);
}

function compare(knee: Knee, batch: Batch, nowMs: number, random: () => number): Knee {
  const limit = batch.limitMs / batch.ms;
  const rate = batch.cost / batch.ms;
  const known = knee.limit;
  if (Number.isNaN(known) || limit < 0.8 * known || rate < ANOTHER * knee.rate) return { ...knee, limit, rate };
  if (limit <= 1.1 * known) return { ...knee, rate: (knee.rate + rate) / 2 };
  if (limit < COMPARED_AT * known) return knee;
  const gain = (rate / knee.rate - 1) / (limit / known - 1);
  if (gain >= LEAST_GAIN) return { ...knee, limit, rate };
  // Chance in the time: clients that share a callee must not all try again together.
  const stayUntilMs = nowMs + STAY_BATCHES * batch.ms * (1 + random());
  return { ...knee, limit: known * Math.max(1, rate / knee.rate), rate, stayUntilMs };
}

/**
 * What the queue says of the knee. A knee that a queue explained is over once calls find none near it: the callee has
 * become larger. Where no queue was seen, as with answers from a cache, its absence says nothing.
 */
export function confirmKnee(before: Knee, knee: Knee, queue: "some" | "none" | "unknown"): Knee {
  if (knee.stayUntilMs !== before.stayUntilMs) return { ...knee, queued: queue === "some" };
  return knee.queued && queue === "none" ? { ...knee, stayUntilMs: 0, queued: false } : knee;
}

/** How high the limit may be now, and how high it may grow. */
export function boundsByKnee(knee: Knee, nowMs: number): { readonly most: number; readonly mostGrowth: number } {
  if (Number.isNaN(knee.limit)) return { most: Number.POSITIVE_INFINITY, mostGrowth: Number.POSITIVE_INFINITY };
  const staying = nowMs < knee.stayUntilMs;
  return {
    most: staying ? HEADROOM * knee.limit : Number.POSITIVE_INFINITY,
    mostGrowth: (staying ? HEADROOM : AHEAD) * knee.limit,
  };
}

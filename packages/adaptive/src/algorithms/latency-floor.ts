import type { SampleWindow } from "./algorithm.ts";
import { GROUP } from "./window.ts";

/**
 * The floor is the fastest call of twelve. A queue lifts it, since every call waits. A callee that takes ten times as
 * long stretches the slow calls far more than the fast ones, so the floor stays low. So the rise of the floor over its
 * lowest level is an estimate of the wait.
 */
export interface Floor {
  /** The level without a queue, in milliseconds. Infinite before the first window. */
  readonly baseMs: number;
  /** The floor of the window before; NaN before the first. */
  readonly lastMs: number;
  /** How far the mean is above the floor lately, in milliseconds: a queue lifts both, so it is the work that varies. */
  readonly spreadMs: number;
  /** The lowest spread, which goes with the base; infinite until a few windows were seen. */
  readonly calmMs: number;
  /** Windows seen. */
  readonly windows: number;
  /** Where the limit and the floor were when we began to step back; undefined while calls do not wait too long. */
  readonly from: { readonly limit: number; readonly floorMs: number } | undefined;
}

export const NO_FLOOR: Floor = {
  baseMs: Number.POSITIVE_INFINITY,
  lastMs: Number.NaN,
  spreadMs: 0,
  calmMs: Number.POSITIVE_INFINITY,
  windows: 0,
  from: undefined,
};

/** The spread is that of the last few windows. */
const SPREAD_WEIGHT = 0.25;
const ENOUGH_WINDOWS = 8;
/** Below twice the spread it may be chance. */
const SLOWER = 2;
/** Where calls vary by less than this part of the base, a spread is rather that of a queue which swings. */
const VARIED = 0.25;
/** So many times the aim at most passes for slower work: what is far away is no work, and does not become slower. */
const MOST_AIMS = 3;

/** The higher of two floors in a row: a single lucky call is no new base. */
export function see(floor: Floor, window: SampleWindow): Floor {
  if (window.samples === 0) return floor;
  const { floorMs } = window;
  if (Number.isNaN(floor.lastMs)) return { ...floor, baseMs: Math.min(floor.baseMs, floorMs), lastMs: floorMs };
  const baseMs = Math.min(floor.baseMs, Math.max(floorMs, floor.lastMs));
  const windows = floor.windows + 1;
  const weight = Math.max(SPREAD_WEIGHT, 1 / windows);
  const spreadMs = floor.spreadMs + weight * (window.meanMs - floorMs - floor.spreadMs);
  const calmMs = windows < ENOUGH_WINDOWS ? floor.calmMs : Math.min(floor.calmMs, spreadMs);
  return { ...floor, baseMs, lastMs: floorMs, spreadMs, calmMs, windows };
}

/** The lower of two floors in a row: the fastest of ten calls may be slow by chance, of twenty hardly ever. */
export function lowMs(before: Floor, window: SampleWindow): number {
  return Number.isNaN(before.lastMs) ? window.floorMs : Math.min(window.floorMs, before.lastMs);
}

/**
 * How far `lowMs` is above the base, in milliseconds, but for what is no wait. The base is the lowest of all floors;
 * the usual one of twelve calls is above it by a twelfth of what calls take, as with exponential times. And a callee
 * that takes twice as long and more for its slow calls does so for its fast ones.
 */
export function riseMs({ baseMs, spreadMs, calmMs }: Floor, lowMs: number, meanMs: number, aimMs: number): number {
  const times = spreadMs / calmMs;
  const slower = times >= SLOWER && calmMs >= VARIED * baseMs;
  const slowerMs = slower ? Math.min((times - 1) * baseMs, MOST_AIMS * aimMs) : 0;
  const usualMs = Math.max(0, meanMs - baseMs) / GROUP;
  return Math.max(0, lowMs - baseMs - usualMs - slowerMs);
}

/** A queue must be at least this part of the fall that it would explain. */
const EXPLAINED = 1 / 3;

/**
 * Did stepping back to half of the limit bring the floor down as a queue would have come down? `"queue"`: yes.
 * `"slower"`: no, so it is the callee that takes longer. `"unknown"`: we have not stepped back that far.
 */
export function steppedBack(
  floor: Floor,
  limit: number,
  lowMs: number,
  window: SampleWindow,
): "queue" | "slower" | "unknown" {
  const { from } = floor;
  if (from === undefined || limit > from.limit / 2) return "unknown";
  const rate = window.successCost / Math.max(1, window.endMs - window.startMs);
  const fallMs = (from.limit - limit) / rate;
  return from.floorMs - lowMs < fallMs * EXPLAINED ? "slower" : "queue";
}

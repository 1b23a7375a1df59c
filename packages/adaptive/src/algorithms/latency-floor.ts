import type { SampleWindow } from "./algorithm.ts";

/**
 * The floor is the fastest call of a window. A queue lifts it, since every call waits. A callee that takes ten times as
 * long stretches the slow calls far more than the fast ones, so the floor stays low. So the rise of the floor over its
 * lowest level is an estimate of the wait.
 */
export interface Floor {
  /** The level without a queue, in milliseconds. Infinite before the first window. */
  readonly baseMs: number;
  /** The floor of the window before; NaN before the first. */
  readonly lastMs: number;
  /** Where the limit and the floor were when we began to step back; undefined while calls do not wait too long. */
  readonly from: { readonly limit: number; readonly floorMs: number } | undefined;
}

export const NO_FLOOR: Floor = { baseMs: Number.POSITIVE_INFINITY, lastMs: Number.NaN, from: undefined };

/** The higher of two floors in a row: a single lucky call is no new base. */
export function see(floor: Floor, window: SampleWindow): Floor {
  if (window.samples === 0) return floor;
  const floorMs = window.minMs;
  const twiceMs = Number.isNaN(floor.lastMs) ? floorMs : Math.max(floorMs, floor.lastMs);
  return { ...floor, baseMs: Math.min(floor.baseMs, twiceMs), lastMs: floorMs };
}

/** The lower of two floors in a row: the fastest of ten calls may be slow by chance, of twenty hardly ever. */
export function lowMs(before: Floor, window: SampleWindow): number {
  return Number.isNaN(before.lastMs) ? window.minMs : Math.min(window.minMs, before.lastMs);
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

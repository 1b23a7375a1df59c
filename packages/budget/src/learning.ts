import { statedLimits } from "@dt/adaptive";
import type { Runtime } from "@dt/core";
import { checkKeys, invalidOption } from "@dt/core/internal";
import type { LimitSettings } from "./limits.ts";

/** What a caller knows of what the callee has left. */
export interface Stated {
  /**
   * Units left of each limit, by name. A value that is missing or negative is not known, which differs from 0.
   * @default none
   */
  readonly remaining?: Readonly<Record<string, number | undefined>>;
  /**
   * In how many milliseconds the callee's limits are full again.
   * @default the window of each limit
   */
  readonly resetMs?: number;
  /**
   * For how many milliseconds the callee asks for no calls.
   * @default none
   */
  readonly retryAfterMs?: number | undefined;
}

/** What is learned: limits by their places, a pause, and how many values make no sense. */
export interface Learned {
  readonly limits: readonly { readonly limit: number; readonly rest: number; readonly resetMs: number }[];
  readonly pauseMs: number;
  readonly ignored: number;
}

const STATED: ReadonlySet<string> = new Set(["remaining", "resetMs", "retryAfterMs"]);
const MOST = 1e12;

/**
 * Reads what a callee states: from an answer with headers, an error, or as a caller knows it.
 * @throws DtError `DT_INVALID_OPTION` for an object of a caller with unknown fields
 */
export function learnedFrom(answer: unknown, limits: readonly LimitSettings[], runtime: Runtime): Learned {
  if (isStated(answer)) return learnedFromCaller(answer, limits);
  const nowMs = runtime.wallTimeMs?.();
  const stated = statedLimits(answer, nowMs === undefined ? { nowMs: Number.NaN } : { nowMs });
  const known = stated.limits.flatMap(({ name, remaining, resetMs }) => {
    const limit = limits.findIndex((one) => one.name === name);
    if (limit < 0 || remaining === undefined) return [];
    const { windowMs } = limits[limit] as LimitSettings;
    return [{ limit, rest: remaining, resetMs: Math.min(windowMs, Math.max(0, resetMs ?? windowMs)) }];
  });
  return { limits: known, pauseMs: stated.retryAfterMs ?? 0, ignored: stated.ignored };
}

function isStated(answer: unknown): answer is Stated {
  if (typeof answer !== "object" || answer === null) return false;
  const prototype = Object.getPrototypeOf(answer);
  return (prototype === Object.prototype || prototype === null) && Object.keys(answer).some((name) => STATED.has(name));
}

function learnedFromCaller(stated: Stated, limits: readonly LimitSettings[]): Learned {
  checkKeys("learn", stated, STATED);
  const { remaining = {}, resetMs, retryAfterMs = 0 } = stated;
  if (typeof remaining !== "object" || remaining === null)
    throw invalidOption("learn.remaining", remaining, "give an object of the limits: { tokens: 800 }");
  const isKnown = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < MOST;
  const values = [...Object.values(remaining), resetMs, retryAfterMs].filter((value) => value !== undefined);
  return {
    limits: limits.flatMap(({ name, windowMs }, limit) => {
      const rest = remaining[name];
      const reset = isKnown(resetMs) ? Math.min(resetMs, windowMs) : windowMs;
      return isKnown(rest) ? [{ limit, rest, resetMs: reset }] : [];
    }),
    pauseMs: isKnown(retryAfterMs) ? retryAfterMs : 0,
    ignored: values.filter((value) => !isKnown(value)).length,
  };
}

import { type StatedLimit, statedLimits } from "@dt/adaptive";
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
const LEARN_OPTIONS: ReadonlySet<string> = new Set(["body"]);
const MOST = 1e12;
/** Our windows hold the lateness of calls as well: so much may they differ. */
const SAME_WINDOW = 0.05;

/** Options of `learn`. */
export interface LearnOptions {
  /**
   * The body of the answer, parsed: some callees state a wait there.
   * @default that of an error that carries one
   */
  readonly body?: unknown;
}

/**
 * Reads what a callee states: from an answer with headers, an error, or as a caller knows it.
 * @throws DtError `DT_INVALID_OPTION` for an object of a caller with unknown fields
 */
export function learnedFrom(
  answer: unknown,
  options: LearnOptions,
  limits: readonly LimitSettings[],
  runtime: Runtime,
): Learned {
  checkKeys("options", options, LEARN_OPTIONS);
  if (isStated(answer)) return learnedFromCaller(answer, limits);
  const stated = statedLimits(answer, { ...options, nowMs: runtime.wallTimeMs?.() ?? Number.NaN });
  const known = stated.limits.flatMap((one) => {
    const limit = limits.findIndex((limit) => isMeant(one, limit));
    if (limit < 0 || one.remaining === undefined) return [];
    const { windowMs } = limits[limit] as LimitSettings;
    // A number that is rounded may be half of that more.
    const rest = one.remaining + (one.roundedTo - 1) / 2;
    return [{ limit, rest, resetMs: Math.min(windowMs, Math.max(0, one.resetMs ?? windowMs)) }];
  });
  return { limits: known, pauseMs: stated.retryAfterMs ?? 0, ignored: stated.ignored };
}

/** A limit is known by its name; without one, or with another, by its unit and its window. */
function isMeant({ name, unit, windowMs }: StatedLimit, limit: LimitSettings): boolean {
  if (name === limit.name) return true;
  if (unit !== limit.name) return false;
  if (windowMs === undefined) return name === undefined;
  return Math.abs(windowMs - limit.windowMs) <= limit.windowMs * SAME_WINDOW;
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

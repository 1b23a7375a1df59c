import type { Runtime } from "../runtime/runtime.ts";
import { invalidOption } from "./check.ts";
import { parseDuration } from "./duration.ts";

/**
 * When a pause ends. A `Date`, or a number of milliseconds since 1970, is an instant of the wall clock. A text is a
 * `Retry-After` field (whole seconds such as `"30"`, or an HTTP date), or a duration from now on, such as `"30s"`.
 */
export type PauseEnd = Date | number | string;

/** No pause is longer: what asks for more is cut. A callee's mistake must not stop a fleet for weeks. */
export const LONGEST_PAUSE_MS = 86_400_000;

/** A number below is no instant of these decades: rather a number of seconds, or of milliseconds from now on. */
const LEAST_EPOCH_MS = 1e11;

const SECONDS = /^\d{1,15}$/;
const DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

const REMEDY =
  'give a Date, milliseconds since 1970, a Retry-After field ("30", or an HTTP date), or a duration such as "30s"';
const NO_WALL_CLOCK = 'the runtime has no wallTimeMs to compare it with; give a duration such as "30s"';

/**
 * How long a pause lasts from now on, in milliseconds: at least 0, at most a day.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function pauseMsOf(until: PauseEnd, runtime: Runtime): number {
  const text = typeof until === "string" ? until.trim() : undefined;
  if (text !== undefined && SECONDS.test(text)) return inBounds(Number(text) * 1_000);
  if (text !== undefined && DURATION.test(text)) return inBounds(parseDuration("pauseUntil", text));
  const instantMs = text === undefined ? Number(until) : HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  const isInstant =
    instantMs >= LEAST_EPOCH_MS && (text !== undefined || until instanceof Date || typeof until === "number");
  const wallMs = runtime.wallTimeMs?.() ?? Number.NaN;
  if (isInstant && !Number.isNaN(wallMs)) return inBounds(instantMs - wallMs);
  throw invalidOption("pauseUntil", until, isInstant ? NO_WALL_CLOCK : REMEDY);
}

function inBounds(ms: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(0, ms));
}

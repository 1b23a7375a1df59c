import { type Fields, isRetryAfter } from "./fields.ts";
import { dateOf, LONGEST_MS, longestWaitOf } from "./times.ts";

/** An answer that has an age was made for an earlier caller. */
export function isCached(fields: Fields): boolean {
  const age = Number(fields.get("age")?.split(",")[0]);
  return age > 0;
}

/** By the server's own clock, since ours may be wrong. */
export function serverTimeOf(fields: Fields, wallTimeMs: number): number {
  const date = fields.get("date");
  const ms = date === undefined ? Number.NaN : dateOf(date.trim(), wallTimeMs);
  return Number.isNaN(ms) ? wallTimeMs : ms;
}

/** In milliseconds and not in seconds. */
const IN_MS = /^x-amz-retry-after$|-ms$/;

/** What `Retry-After` and its like ask for. */
export interface RetryAfter {
  /** True where such a field holds anything at all. */
  readonly there: boolean;
  /** The longest wait, in milliseconds; undefined where none can be read. */
  readonly ms: number | undefined;
  /** The limits that are named behind it: `Retry-After-short`, as nest has it. */
  readonly limits: readonly string[];
  /** Names of fields that make no sense. */
  readonly malformed: readonly string[];
}

/** What is behind `retry-after-` and is no unit. */
const LIMIT = /^(?:x-)?retry-after-(?!ms$|seconds?$)(.+)$/;

/**
 * The longest wait of `Retry-After`, `Retry-After-Ms`, `X-Amz-Retry-After` and every other field of such a name. A time
 * that has passed is no wait, and nothing is wrong with it.
 */
export function retryAfterOf(fields: Fields, nowMs: number): RetryAfter {
  const malformed: string[] = [];
  const limits: string[] = [];
  let longestMs: number | undefined;
  let there = false;
  for (const [name, text] of fields) {
    if (!isRetryAfter(name)) continue;
    there ||= text.trim() !== "";
    const { ms = -1, bad } = longestWaitOf(text, nowMs, IN_MS.test(name) ? 1 : 1_000);
    if (bad) malformed.push(name);
    const [, limit] = LIMIT.exec(name) ?? [];
    if (limit !== undefined && ms >= 0 && ms < LONGEST_MS) limits.push(limit);
    if (ms >= 0) longestMs = Math.max(longestMs ?? 0, ms);
  }
  return { there, ms: longestMs, limits, malformed };
}

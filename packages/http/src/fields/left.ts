import { dateOf } from "@dt/adaptive";
import { type BareItem, countOf, itemsOf, itemValueOf, valuesOf } from "./structured.ts";

/** What a server says is left of one of its limits. */
export interface Left {
  /** The limit's name, where it has one. */
  readonly policy: string | undefined;
  /** How much is left. It guarantees nothing: others may take it. */
  readonly remaining: number;
  /** After how many milliseconds there is more; undefined where the server does not say. */
  readonly resetMs: number | undefined;
}

/** What was read from some fields, and the names of those that made no sense. Such a field is as good as absent. */
export interface Reading<Value> {
  readonly values: readonly Value[];
  readonly malformed: readonly string[];
}

/** Asks for one field by its lower-case name; undefined where it is missing. */
export type FieldOf = (name: string) => string | undefined;

/** Fields of one number each, from before there was one field for all. */
const SEPARATE = ["ratelimit", "x-ratelimit", "x-rate-limit"] as const;

/**
 * What is left, from every form in use: `RateLimit: "burst";r=9;t=5` (drafts 8 to 11), `RateLimit: limit=10,
 * remaining=9, reset=5` (draft 7), `RateLimit-Remaining` with `RateLimit-Reset` (draft 6), and the same with `X-`,
 * whose reset is a number of seconds or a time. A time is taken against the server's own `Date`, since our clock may be
 * wrong; without that field it is not believed.
 */
export function leftOf(field: FieldOf): Reading<Left> {
  const values: Left[] = [];
  const malformed: string[] = [];
  const rateLimit = field("ratelimit");
  if (rateLimit !== undefined) {
    const read = named(rateLimit) ?? unnamed(rateLimit);
    if (read === undefined) malformed.push("ratelimit");
    else values.push(...read);
  }
  for (const prefix of SEPARATE) {
    const [remaining, reset] = [field(`${prefix}-remaining`), field(`${prefix}-reset`)];
    if (remaining === undefined) continue;
    const count = countOf(itemValueOf(remaining));
    const seconds = reset === undefined ? undefined : countOf(itemValueOf(reset));
    if (count === undefined) malformed.push(`${prefix}-remaining`);
    if (reset !== undefined && seconds === undefined) malformed.push(`${prefix}-reset`);
    if (count !== undefined)
      values.push({ policy: undefined, remaining: count, resetMs: untilReset(seconds, field("date")) });
  }
  return { values, malformed };
}

/**
 * Drafts 8 to 11: a list of the limits' names, each with what remains (`r`) and after how many seconds there is more
 * (`t`).
 */
function named(field: string): readonly Left[] | undefined {
  const items = itemsOf(field);
  if (items === undefined) return undefined;
  const limits: Left[] = [];
  for (const [name, parameters] of items) {
    const remaining = countOf(parameters.get("r"));
    const seconds = parameters.get("t");
    if (remaining === undefined || (seconds !== undefined && countOf(seconds) === undefined)) return undefined;
    limits.push({ policy: textOf(name), remaining, resetMs: inMs(countOf(seconds)) });
  }
  return limits;
}

/** Draft 7: one limit, as a dictionary. */
function unnamed(field: string): readonly Left[] | undefined {
  const values = valuesOf(field);
  const remaining = countOf(values?.get("remaining"));
  const reset = values?.get("reset");
  if (remaining === undefined || (reset !== undefined && countOf(reset) === undefined)) return undefined;
  return [{ policy: undefined, remaining, resetMs: inMs(countOf(reset)) }];
}

/** The name of a limit: a string, or in some drafts a token. */
export function textOf(value: BareItem | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

/**
 * A number from here on is no wait (of 31 years) but a time: in seconds since 1970, or a thousand times that: in
 * milliseconds.
 */
const TIMES_FROM = 1e9;

function untilReset(reset: number | undefined, date: string | undefined): number | undefined {
  if (reset === undefined || reset < TIMES_FROM) return inMs(reset);
  const atMs = reset < TIMES_FROM * 1_000 ? reset * 1_000 : reset;
  const ms = atMs - dateOf(date);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

import { type Fields, isRetryAfter } from "./fields.ts";
import { countOf, type Reading } from "./policies.ts";
import { itemsOf, valuesOf } from "./structured.ts";
import { LONGEST_FIELD, LONGEST_MS, longestWaitOf } from "./times.ts";

/** The rest of one of a server's limits, as the server reports it. */
export interface Left {
  /** The limit's name, where it has one. */
  readonly policy: string | undefined;
  /** How much is left. It guarantees nothing: others may take it. */
  readonly remaining: number;
  /** After how many milliseconds there is more, at most 366 days; undefined where the server does not report it. */
  readonly resetMs: number | undefined;
}

/** What fields of answers report of limits. */
export interface Limits extends Reading<Left> {
  /** The longest time until a reset, in milliseconds, of the limits that report a reset and not what is left. */
  readonly resetMs: number | undefined;
}

/**
 * What is left, from every form in use: `RateLimit: "burst";r=9;t=5` (drafts 8 to 11), `RateLimit: limit=10,
 * remaining=9, reset=5` (draft 7), and fields of one number each, whose names hold `ratelimit` and `remaining` or
 * `reset`: `RateLimit-Remaining` (draft 6), `X-RateLimit-Reset-After` (Discord), `x-ratelimit-remaining-tokens`
 * (OpenAI), `anthropic-ratelimit-requests-reset` (Anthropic) and their like.
 * @param nowMs the server's time, in milliseconds since 1970; NaN where it is not known
 */
export function leftOf(fields: Fields, nowMs: number): Limits {
  const values: Left[] = [];
  const malformed: string[] = [];
  const rateLimit = fields.get("ratelimit");
  if (rateLimit !== undefined) {
    const read = named(rateLimit) ?? unnamed(rateLimit);
    if (read === undefined) malformed.push("ratelimit");
    else values.push(...read);
  }
  let unknownMs: number | undefined;
  for (const { policy, remaining, reset } of separate(fields)) {
    const count = remaining && leastOf(remaining.text);
    const wait = reset && longestWaitOf(reset.text, nowMs, reset.unitMs);
    if (remaining && count === undefined) malformed.push(remaining.name);
    if (reset && wait?.bad) malformed.push(reset.name);
    const resetMs = wait?.ms === undefined ? undefined : Math.max(0, wait.ms);
    if (count !== undefined) values.push({ policy, remaining: count, resetMs });
    else if (remaining === undefined && resetMs !== undefined) unknownMs = Math.max(unknownMs ?? 0, resetMs);
  }
  return { values, malformed, resetMs: unknownMs };
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
    limits.push({ policy: String(name), remaining, resetMs: inMs(countOf(seconds)) });
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

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(LONGEST_MS, Math.ceil(seconds * 1_000));
}

interface Field {
  readonly name: string;
  readonly text: string;
  readonly unitMs: number;
}

/** Fields of one number each that belong together. */
interface Separate {
  readonly policy: string | undefined;
  readonly remaining?: Field;
  readonly reset?: Field;
}

const FAMILY = /^(.*rate-?limit[a-z]*)-(.+)$/;

/** The words of a name that say what its number is; the others name the limit. */
const WORDS = new Set(["remaining", "reset", "after", "ms"]);

function separate(fields: Fields): Iterable<Separate> {
  const limits = new Map<string, Separate>();
  for (const [name, text] of fields) {
    const [, prefix, rest = ""] = FAMILY.exec(name) ?? [];
    const words = rest.split("-");
    const kind = words.includes("remaining") ? "remaining" : words.includes("reset") ? "reset" : undefined;
    if (prefix === undefined || kind === undefined || isRetryAfter(name)) continue;
    const policy = words.filter((word) => !WORDS.has(word)).join("-") || undefined;
    const key = `${prefix} ${policy}`;
    const known = limits.get(key) ?? { policy };
    // A wait needs no clock, so it is worth more than a time.
    if (kind === "reset" && known.reset?.name.includes("after")) continue;
    limits.set(key, { ...known, [kind]: { name, text, unitMs: words.includes("ms") ? 1 : 1_000 } });
  }
  return limits.values();
}

/** The least of the numbers of a field that may hold several; undefined where one of them counts nothing. */
function leastOf(field: string): number | undefined {
  if (field.length > LONGEST_FIELD) return undefined;
  let least: number | undefined;
  for (const value of field.split(",")) {
    const text = value.split(";")[0]?.trim() ?? "";
    if (!/^\d{1,15}(?:\.\d*)?$/.test(text)) return undefined;
    least = Math.min(least ?? Number.POSITIVE_INFINITY, Number(text));
  }
  return least;
}

import { type Fields, isRetryAfter } from "./fields.ts";
import { countOf } from "./policies.ts";
import { itemsOf, valuesOf } from "./structured.ts";
import { LONGEST_FIELD, LONGEST_MS, longestWaitOf } from "./times.ts";

/** What one number of a limit is. */
export type LimitKind = "limit" | "remaining" | "reset" | "charged";

/** One of a server's limits, as its answer has it: a number that is missing is undefined, and differs from zero. */
export interface ReadLimit {
  /** The limit's name, where it has one. */
  readonly policy: string | undefined;
  /** How much it allows. */
  readonly limit: number | undefined;
  /** How much is left. */
  readonly remaining: number | undefined;
  /** True where the answer has a field for what is left, and that makes no sense. */
  readonly unreadable: boolean;
  /** After how many milliseconds there is more, at most 366 days. */
  readonly resetMs: number | undefined;
  /** How much of it this call took. */
  readonly charged: number | undefined;
  /** True where numbers of tokens are rounded to thousands. */
  readonly rounded: boolean;
}

/** A field that makes no sense, and is as good as absent. */
export interface SenselessField {
  readonly name: string;
  /** Undefined for a field of several numbers. */
  readonly kind: LimitKind | undefined;
}

/** What fields report of limits. */
export interface ReadLimits {
  readonly values: readonly ReadLimit[];
  readonly senseless: readonly SenselessField[];
}

const UNKNOWN = { limit: undefined, unreadable: false, charged: undefined, rounded: false };

/**
 * The limits of an answer, from every form in use: `RateLimit: "burst";r=9;t=5` (drafts 8 to 11), `RateLimit: limit=10,
 * remaining=9, reset=5` (draft 7), and fields of one number each, whose names hold `ratelimit` and `limit`, `remaining`
 * or `reset`: `RateLimit-Remaining` (draft 6), `X-RateLimit-Reset-After` (Discord), `x-ratelimit-remaining-tokens`
 * (OpenAI), `anthropic-ratelimit-requests-reset` (Anthropic), `x-ratelimit-tokens-query-cost` (Mistral) and their like.
 * @param nowMs the server's time, in milliseconds since 1970; NaN where it is not known
 */
export function limitsOf(fields: Fields, nowMs: number): ReadLimits {
  const values: ReadLimit[] = [];
  const senseless: SenselessField[] = [];
  const rateLimit = fields.get("ratelimit");
  if (rateLimit !== undefined) {
    const read = named(rateLimit) ?? unnamed(rateLimit);
    if (read === undefined) senseless.push({ name: "ratelimit", kind: undefined });
    else values.push(...read);
  }
  for (const { policy, rounded, numbers } of separate(fields)) {
    const read = new Map<LimitKind, number>();
    for (const [kind, { name, text, unitMs }] of numbers) {
      const { value, bad } = kind === "reset" ? waitIn(text, nowMs, unitMs) : countIn(text, kind);
      if (bad) senseless.push({ name, kind });
      if (value !== undefined) read.set(kind, value);
    }
    const [limit, remaining, charged] = [read.get("limit"), read.get("remaining"), read.get("charged")];
    const unreadable = numbers.has("remaining") && remaining === undefined;
    if (read.size > 0)
      values.push({ policy, limit, remaining, unreadable, resetMs: read.get("reset"), charged, rounded });
  }
  return { values, senseless };
}

/**
 * Drafts 8 to 11: a list of the limits' names, each with what remains (`r`) and after how many seconds there is more
 * (`t`).
 */
function named(field: string): readonly ReadLimit[] | undefined {
  const items = itemsOf(field);
  if (items === undefined) return undefined;
  const limits: ReadLimit[] = [];
  for (const [name, parameters] of items) {
    const remaining = countOf(parameters.get("r"));
    const seconds = parameters.get("t");
    if (remaining === undefined || (seconds !== undefined && countOf(seconds) === undefined)) return undefined;
    limits.push({ ...UNKNOWN, policy: String(name), remaining, resetMs: inMs(countOf(seconds)) });
  }
  return limits;
}

/** Draft 7: one limit, as a dictionary. */
function unnamed(field: string): readonly ReadLimit[] | undefined {
  const values = valuesOf(field);
  const remaining = countOf(values?.get("remaining"));
  const reset = values?.get("reset");
  if (remaining === undefined || (reset !== undefined && countOf(reset) === undefined)) return undefined;
  const limit = countOf(values?.get("limit"));
  return [{ ...UNKNOWN, policy: undefined, limit, remaining, resetMs: inMs(countOf(reset)) }];
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
  readonly rounded: boolean;
  readonly numbers: Map<LimitKind, Field>;
}

const FAMILY = /^(.*rate-?limit[a-z]*)-(.+)$/;

/** The words of a name that tell its number's kind; the others name the limit. */
const WORDS: ReadonlySet<string> = new Set(["remaining", "reset", "after", "ms"]);
const WORDS_OF: Readonly<Record<LimitKind, ReadonlySet<string>>> = {
  limit: new Set([...WORDS, "limit"]),
  remaining: WORDS,
  reset: WORDS,
  charged: new Set([...WORDS, "query", "cost"]),
};

function kindOf(words: readonly string[]): LimitKind | undefined {
  if (words.includes("remaining")) return "remaining";
  if (words.includes("reset")) return "reset";
  if (words.includes("limit")) return "limit";
  return words.includes("query") && words.includes("cost") ? "charged" : undefined;
}

function separate(fields: Fields): Iterable<Separate> {
  const limits = new Map<string, Separate>();
  for (const [name, text] of fields) {
    const [, prefix, rest = ""] = FAMILY.exec(name) ?? [];
    const words = rest.split("-");
    const kind = kindOf(words);
    if (prefix === undefined || kind === undefined || isRetryAfter(name)) continue;
    const policy = words.filter((word) => !WORDS_OF[kind].has(word)).join("-") || undefined;
    const key = `${prefix} ${policy}`;
    const rounded = prefix.startsWith("anthropic") && words.includes("tokens");
    const { numbers } = limits.get(key) ?? { numbers: new Map<LimitKind, Field>() };
    limits.set(key, { policy, rounded, numbers });
    // A wait needs no clock, so it is worth more than a time.
    if (kind === "reset" && numbers.get(kind)?.name.includes("after")) continue;
    numbers.set(kind, { name, text, unitMs: words.includes("ms") ? 1 : 1_000 });
  }
  return limits.values();
}

interface ReadNumber {
  readonly value: number | undefined;
  readonly bad: boolean;
}

/** A time that has passed is a wait of nothing. */
function waitIn(text: string, nowMs: number, unitMs: number): ReadNumber {
  const { ms, bad } = longestWaitOf(text, nowMs, unitMs);
  return { value: ms === undefined ? undefined : Math.max(0, ms), bad };
}

/** Draft 3 to 6: behind the limit its windows may follow, `10, 10;w=1, 50;w=60`. */
const WINDOW = /;\s*w\s*=/;

/** The least of the numbers of a field that may hold several; undefined where one of them counts nothing. */
function countIn(field: string, kind: LimitKind): ReadNumber {
  if (field.length > LONGEST_FIELD) return { value: undefined, bad: true };
  let least: number | undefined;
  for (const [at, value] of field.split(",").entries()) {
    if (kind === "limit" && at > 0 && WINDOW.test(value)) continue;
    const text = value.split(";")[0]?.trim() ?? "";
    if (!/^\d{1,15}(?:\.\d*)?$/.test(text)) return { value: undefined, bad: true };
    least = Math.min(least ?? Number.POSITIVE_INFINITY, Number(text));
  }
  return { value: least, bad: false };
}

import { dateOf, type HeaderSource, headersOf, retryAfterOf } from "@dt/adaptive";
import { type FieldOf, type Left, leftOf } from "./left.ts";
import { type DeclaredPolicy, policiesOf } from "./policies.ts";
import { countOf, itemValueOf } from "./structured.ts";

/** What a server tells with one answer about what it can take. */
export interface Told {
  /** For how long nothing should be sent, in milliseconds; not capped. */
  readonly pauseMs: number | undefined;
  /** Which field says so. */
  readonly by: "retry-after" | "ratelimit" | undefined;
  /** What is left of its limits. */
  readonly left: readonly Left[];
  /** The limits that it declares. */
  readonly policies: readonly DeclaredPolicy[];
  /** Names of fields that were ignored because they make no sense. */
  readonly malformed: readonly string[];
}

/**
 * Reads the fields of an answer: `Retry-After`, `RateLimit`, `RateLimit-Policy` and their older forms. Nothing here
 * throws: a field that makes no sense is ignored, and named in `malformed`.
 *
 * `Retry-After` wins, and is a pause where the answer is a refusal: with a redirect or a 202 it says something else.
 * Otherwise the pause is until there is more of every limit of which nothing remains. What comes from a cache is no
 * word on what remains now.
 * @param headers `Headers`, a Map, or an object with lower-case or other names
 */
export function toldBy(status: number, headers: HeaderSource): Told {
  const field = headersOf(headers);
  const malformed: string[] = [];
  const cached = isCached(field("age"));
  const { values: left, malformed: badLimits } = cached ? NOTHING : leftOf(field);
  const { values: policies, malformed: badPolicies } = policiesOf(field);
  malformed.push(...badLimits, ...badPolicies);
  const retryAfterMs = status >= 400 ? retryAfter(field, malformed) : undefined;
  if (retryAfterMs !== undefined) return { pauseMs: retryAfterMs, by: "retry-after", left, policies, malformed };
  const empty = left.filter(({ remaining, resetMs }) => remaining < 1 && resetMs !== undefined);
  if (empty.length === 0) return { pauseMs: undefined, by: undefined, left, policies, malformed };
  const pauseMs = Math.max(...empty.map(({ resetMs = 0 }) => resetMs));
  return { pauseMs, by: "ratelimit", left, policies, malformed };
}

const NOTHING = { values: [], malformed: [] };

/** An answer that has an age was made for somebody before us. */
function isCached(age: string | undefined): boolean {
  return age !== undefined && (countOf(itemValueOf(age)) ?? 0) > 0;
}

/** A date that has passed is a wait of nothing; what is neither seconds nor a date makes no sense. */
function retryAfter(field: FieldOf, malformed: string[]): number | undefined {
  const text = field("retry-after");
  if (text === undefined) return undefined;
  const ms = retryAfterOf(text, field("date"));
  if (ms === undefined && Number.isNaN(dateOf(text.trim()))) malformed.push("retry-after");
  return ms;
}

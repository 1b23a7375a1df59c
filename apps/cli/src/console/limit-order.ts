import { isDtError } from "@dt/core";
import { parseDuration } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import { LIMITER_KINDS, type LimiterKind, type LimitName } from "../stores/limiter.ts";
import type { LimitOrder } from "./protocol.ts";

const FIELDS: ReadonlySet<string> = new Set<keyof LimitOrder>([
  ...(["kind", "name", "key", "limit", "burst", "concurrent", "reason", "for"] as const),
]);

/** As `dt limit set --for`. */
const LONGEST_FOR_MS = 366 * 86_400_000;

/** The longest text of a field, in characters; names and reasons are shorter, and checked where they are used. */
const LONGEST_TEXT = 4_096;

/**
 * The body of a request that changes a limit, checked.
 * @throws UsageError that names the field, and says what to give
 */
export function parseOrder(body: string): LimitOrder {
  const given = fieldsOf(body);
  for (const field of given.keys())
    if (!FIELDS.has(field)) throw new UsageError(`the body has another field than ${[...FIELDS].join(", ")}`);
  const kind = given.get("kind");
  if (!LIMITER_KINDS.includes(kind as LimiterKind))
    throw new UsageError(`kind is no kind of limiter; give one of ${LIMITER_KINDS.join(", ")}`);
  const limit = given.get("limit");
  if (limit !== null && !isText(limit))
    throw new UsageError("limit is no text; give one such as 200/s, or null to remove the stored limit");
  const name = textOf(given, "name");
  if (name === undefined) throw new UsageError("name is missing; give the name of the limiter");
  const [key, reason, forText] = [textOf(given, "key"), textOf(given, "reason"), textOf(given, "for")];
  const [burst, concurrent] = [wholeOf(given, "burst"), wholeOf(given, "concurrent")];
  if (key !== undefined && kind !== "keyed") throw new UsageError("key is for keyed limits alone; leave it out");
  if (burst !== undefined && kind !== "keyed" && kind !== "pacer")
    throw new UsageError("burst is for pacers and keyed limits; leave it out");
  if (concurrent !== undefined && kind !== "keyed")
    throw new UsageError("concurrent is for keyed limits alone; leave it out");
  if (limit === null && (burst ?? concurrent ?? forText) !== undefined)
    throw new UsageError("a limit is removed for good and as a whole; leave burst, concurrent and for out");
  forMsOf({ for: forText });
  return {
    ...{ kind: kind as LimiterKind, name, limit },
    ...(key !== undefined && { key }),
    ...(burst !== undefined && { burst }),
    ...(concurrent !== undefined && { concurrent }),
    ...(reason !== undefined && { reason }),
    ...(forText !== undefined && { for: forText }),
  };
}

/** The limit that an order is about. */
export function limitNameOf({ kind, name, key }: LimitOrder): LimitName {
  return { kind, name, ...(key !== undefined && { key }) };
}

/** For how long an order counts, in milliseconds; undefined for good. @throws UsageError */
export function forMsOf({ for: text }: { readonly for?: string | undefined }): number | undefined {
  if (text === undefined) return undefined;
  const ms = duration(text);
  if (ms === undefined || ms < 1 || ms > LONGEST_FOR_MS)
    throw new UsageError("for is no time that a limit can count; give one such as 2h, of at most 366d");
  return ms;
}

function duration(text: string): number | undefined {
  try {
    return parseDuration("for", text);
  } catch (error) {
    if (!isDtError(error)) throw error;
    return undefined;
  }
}

/** A map: a body may have fields of any name. */
function fieldsOf(body: string): ReadonlyMap<string, unknown> {
  const value = parsed(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return new Map(Object.entries(value));
  throw new UsageError("the body is no JSON object; give { kind, name, limit }");
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_TEXT && value.isWellFormed();
}

/** Undefined where it is absent; an empty text of a form is absent as well. */
function textOf(given: ReadonlyMap<string, unknown>, field: string): string | undefined {
  const value = given.get(field);
  if (value === undefined || value === "") return undefined;
  if (isText(value)) return value;
  throw new UsageError(`${field} is no text of at most ${LONGEST_TEXT} characters; give one, or leave it out`);
}

function wholeOf(given: ReadonlyMap<string, unknown>, field: string): number | undefined {
  const value = given.get(field);
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw new UsageError(`${field} is no whole number >= 1; give one, or leave it out`);
}

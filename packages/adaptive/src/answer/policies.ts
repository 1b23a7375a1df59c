import type { Fields } from "./fields.ts";
import { type BareItem, itemsOf } from "./structured.ts";

/** A limit that a server declares. */
export interface DeclaredPolicy {
  /** Its name; in drafts before 8, which have none, undefined. */
  readonly policy: string | undefined;
  /** How much it allows in a window. */
  readonly quota: number;
  /** How long a window is, in milliseconds; undefined where the server does not report it. */
  readonly windowMs: number | undefined;
  /** What is counted: `"requests"`, `"content-bytes"` or `"concurrent-requests"`. */
  readonly unit: string;
}

/** What was read from some fields. A field that makes no sense is named in `malformed`, and is as good as absent. */
export interface Reading<Value> {
  readonly values: readonly Value[];
  readonly malformed: readonly string[];
}

const ABSENT = { values: [], malformed: [] };
const MALFORMED = { values: [], malformed: ["ratelimit-policy"] };

/** What `RateLimit-Policy` declares: `"burst";q=10;w=1` (drafts 8 to 11), or `10;w=1` (before). */
export function policiesOf(fields: Fields): Reading<DeclaredPolicy> {
  const declared = fields.get("ratelimit-policy");
  if (declared === undefined) return ABSENT;
  const items = itemsOf(declared);
  if (items === undefined) return MALFORMED;
  const values: DeclaredPolicy[] = [];
  for (const [value, parameters] of items) {
    const quota = countOf(typeof value === "number" ? value : parameters.get("q"));
    if (quota === undefined) return MALFORMED;
    const windowSeconds = countOf(parameters.get("w"));
    values.push({
      policy: typeof value === "number" ? undefined : String(value),
      quota,
      windowMs: windowSeconds === undefined ? undefined : windowSeconds * 1_000,
      unit: String(parameters.get("qu") ?? "requests"),
    });
  }
  return { values, malformed: [] };
}

/** A number that counts something: whole or not, but not negative. */
export function countOf(value: BareItem | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

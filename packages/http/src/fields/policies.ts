import { type FieldOf, type Reading, textOf } from "./left.ts";
import { countOf, itemsOf } from "./structured.ts";

/** A limit that a server declares. */
export interface DeclaredPolicy {
  /** Its name; in drafts before 8, which have none, undefined. */
  readonly policy: string | undefined;
  /** How much it allows in a window. */
  readonly quota: number;
  /** How long a window is, in milliseconds; undefined where the server does not say. */
  readonly windowMs: number | undefined;
  /** What is counted: `"requests"`, `"content-bytes"` or `"concurrent-requests"`. */
  readonly unit: string;
}

/** What `RateLimit-Policy` declares: `"burst";q=10;w=1` (drafts 8 to 11), or `10;w=1` (before). */
export function policiesOf(field: FieldOf): Reading<DeclaredPolicy> {
  const declared = field("ratelimit-policy");
  if (declared === undefined) return { values: [], malformed: [] };
  const items = itemsOf(declared);
  const malformed: Reading<DeclaredPolicy> = { values: [], malformed: ["ratelimit-policy"] };
  if (items === undefined) return malformed;
  const values: DeclaredPolicy[] = [];
  for (const [value, parameters] of items) {
    const quota = countOf(typeof value === "number" ? value : parameters.get("q"));
    if (quota === undefined) return malformed;
    const windowSeconds = countOf(parameters.get("w"));
    values.push({
      policy: typeof value === "number" ? undefined : textOf(value),
      quota,
      windowMs: windowSeconds === undefined ? undefined : windowSeconds * 1_000,
      unit: textOf(parameters.get("qu")) ?? "requests",
    });
  }
  return { values, malformed: [] };
}

import type { Fields } from "./fields.ts";
import { limitsOf } from "./limits.ts";
import type { Reading } from "./policies.ts";

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
 * What is left of the limits of an answer, in every form that {@link limitsOf} reads.
 * @param nowMs the server's time, in milliseconds since 1970; NaN where it is not known
 */
export function leftOf(fields: Fields, nowMs: number): Limits {
  const { values: limits, senseless } = limitsOf(fields, nowMs);
  const values: Left[] = [];
  let unknownMs: number | undefined;
  for (const { policy, remaining, unreadable, resetMs } of limits) {
    if (remaining !== undefined) values.push({ policy, remaining, resetMs });
    else if (!unreadable && resetMs !== undefined) unknownMs = Math.max(unknownMs ?? 0, resetMs);
  }
  const malformed = senseless.filter(({ kind }) => kind !== "limit" && kind !== "charged").map(({ name }) => name);
  return { values, malformed, resetMs: unknownMs };
}

import type { LimitValues } from "../contract/limit-ledger.ts";
import { invalidOption } from "../internal/check.ts";
import { parseRate, type Rate } from "../internal/rate.ts";
import type { LimiterName } from "./limiter-name.ts";

/**
 * The values that a limit stands for. A rate of a throttle is for its interval: in a group with epochs of a minute
 * `"10/s"` is a `max` of 600. Where the group is not known, it is for the interval of the rate, as in `createThrottle`.
 * @param groupMs the length of the group's epochs, in milliseconds; 0 where it is not known
 * @throws DtError `DT_INVALID_OPTION`
 */
export function valuesOf({ kind }: LimiterName, limit: Rate | LimitValues, groupMs: number): LimitValues {
  if (typeof limit === "object") return limit;
  if (kind === "budget")
    throw invalidOption("limit", limit, "give the max of each limit by its name, such as { tokens: 100_000 }");
  if (kind === "semaphore") {
    if (typeof limit === "number") return { max: limit };
    throw invalidOption("limit", limit, "give the most slots in use, a number");
  }
  const { count, intervalMs } = parseRate("limit", limit);
  if (kind === "pacer") return { everyMs: intervalMs / count };
  // What a division leaves is no part of a token.
  const max = Math.floor((count * (groupMs > 0 ? groupMs : intervalMs)) / intervalMs + 1e-9);
  if (max >= 1) return { max };
  throw invalidOption("limit", limit, `give at least a token in ${groupMs || intervalMs} ms, the throttle's interval`);
}

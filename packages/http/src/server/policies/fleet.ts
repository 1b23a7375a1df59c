import { type Duration, type Grant, isDtError, type Throttle } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { type PerRequest, valueFor } from "../request-facts.ts";
import type { Standing } from "../standing.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Denied, Policy } from "./policy.ts";

/** The limit of a fleet of servers, of which this process has a share. */
export interface ThrottlePolicy<Raw = unknown> {
  /** The name that clients receive: printable ASCII. */
  readonly name: string;
  /** The throttle. It starts with the first request, unless it was started before; its owner stops it. */
  readonly throttle: Throttle;
  /**
   * Tokens that a request takes: a whole number of at least 1.
   * @default 1
   */
  readonly cost?: PerRequest<Raw, number>;
  /**
   * How long a request may wait for its tokens. With 0 it is refused at once, with the time at which to come again.
   * @default 0
   */
  readonly acquireTimeout?: Duration;
}

const THROTTLE = {
  name: option.checked(checkPolicyName),
  throttle: option.having<Throttle>(["tryAcquireGrant"], "give what createThrottle made"),
  cost: option.later,
  acquireTimeout: option.duration(0).or(0),
} satisfies TableOf<ThrottlePolicy>;

/** @throws DtError `DT_INVALID_OPTION` */
export function throttlePolicy<Raw>(options: ThrottlePolicy<Raw>): Policy<Raw> {
  const { name, throttle, acquireTimeoutMs } = settingsOf(THROTTLE, options, "policy");
  const cost = checkCost(options.cost ?? 1);
  const granted = (grant: Grant): Answer => ({ granted: true, giveBack: () => void grant.deposit(grant.tokens) });
  const refused = (error: unknown, tokens: number): Denied => {
    if (!isDtError(error)) throw error;
    // More than the limit is more than any share.
    if (error.code === "DT_TIMEOUT" || error.code === "DT_INVALID_COST") return denied(throttle, tokens);
    return { granted: false, cause: "capacity", retryAfterMs: undefined };
  };
  return {
    name,
    waits: acquireTimeoutMs > 0,
    ask: (request, signal) => {
      const tokens = costOf(valueFor(cost, request));
      try {
        const grant = throttle.tryAcquireGrant(tokens);
        if (grant) return granted(grant);
      } catch (error) {
        return refused(error, tokens);
      }
      if (acquireTimeoutMs === 0) return denied(throttle, tokens);
      return throttle
        .acquireGrant(tokens, { timeout: acquireTimeoutMs, signal })
        .then(granted, (error: unknown) => refused(error, tokens));
    },
    standing: () => standingOf(name, throttle),
  };
}

/**
 * The next epoch brings this process a new share. Where the fleet has more processes than tokens its turn may come
 * later.
 */
function denied(throttle: Throttle, tokens: number): Denied {
  const { share, level, members, validForMs, intervalMs, epochEndsInMs } = throttle.status();
  if (validForMs === 0 || level < 1) return { granted: false, cause: "capacity", retryAfterMs: undefined };
  const mostInEpoch = Math.max(share, Math.ceil(level / members));
  if (tokens > mostInEpoch) return { granted: false, cause: "quota", retryAfterMs: undefined };
  const turns = Math.max(1, Math.ceil(members / level));
  return { granted: false, cause: "quota", retryAfterMs: epochEndsInMs + (turns - 1) * intervalMs };
}

function standingOf(name: string, throttle: Throttle): Standing | undefined {
  const { level, intervalMs, available, epochEndsInMs, validForMs } = throttle.status();
  if (validForMs === 0) return undefined;
  return {
    name,
    quota: level,
    windowMs: intervalMs,
    remaining: available,
    resetMs: epochEndsInMs,
    partition: undefined,
  };
}

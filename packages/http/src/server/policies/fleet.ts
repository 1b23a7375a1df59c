import { type Duration, isDtError, type Throttle } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { type PerRequest, valueFor } from "../request-facts.ts";
import type { Standing } from "../standing.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Denied, Policy } from "./policy.ts";

/** The limit of a fleet of servers, of which this process has a share. */
export interface ThrottlePolicy<Raw = unknown> {
  /** What clients know it by: printable ASCII. */
  readonly name: string;
  /** A throttle that was started. Whoever made it stops it. */
  readonly throttle: Throttle;
  /** Tokens that a request takes. Default 1. */
  readonly cost?: PerRequest<Raw, number>;
  /** How long a request may wait for its tokens. Default 0: it is refused, and told when to come. */
  readonly wait?: Duration;
}

const THROTTLE = {
  name: option.checked(checkPolicyName),
  throttle: option.having<Throttle>(["tryAcquireGrant"], "give what createThrottle made"),
  cost: option.later,
  wait: option.duration(0).or(0),
} satisfies TableOf<ThrottlePolicy>;

const GRANTED: Answer = { granted: true, giveBack: () => undefined };

/** @throws DtError `DT_INVALID_OPTION` */
export function throttlePolicy<Raw>(options: ThrottlePolicy<Raw>): Policy<Raw> {
  const { name, throttle, waitMs } = settingsOf(THROTTLE, options, "policy");
  const cost = checkCost(options.cost ?? 1);
  const passed = async (tokens: number, signal: AbortSignal | undefined): Promise<boolean> =>
    (await throttle.wrap(async () => true, { cost: tokens, timeout: waitMs, signal })()) === true;
  return {
    name,
    waits: waitMs > 0,
    ask: (request, signal) => {
      const tokens = costOf(valueFor(cost, request));
      const grant = throttle.tryAcquireGrant(tokens);
      if (grant.tokens === tokens) return { granted: true, giveBack: () => void grant.deposit(tokens) };
      if (grant.tokens > 0) grant.deposit(grant.tokens);
      if (waitMs === 0) return denied(throttle, tokens);
      return passed(tokens, signal).then(
        (in_) => (in_ ? GRANTED : denied(throttle, tokens)),
        (error: unknown) => {
          if (!isDtError(error)) throw error;
          return { granted: false, cause: "capacity", retryAfterMs: undefined };
        },
      );
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

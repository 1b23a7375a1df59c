import { type Duration, isDtError, type Pacer } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { type PerRequest, type RequestFacts, valueFor } from "../request-facts.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Policy } from "./policy.ts";

/** A distance between requests, kept by all servers that share the pacer's key. */
export interface PacerPolicy<Raw = unknown> {
  /** What clients know it by: printable ASCII. */
  readonly name: string;
  /** Whoever made it stops it. */
  readonly pacer: Pacer;
  /** What a request costs, in units of the pacer's distance. Default 1. */
  readonly cost?: PerRequest<Raw, number>;
  /** How long a request may wait for its instant. Default 0: it is refused, and told when to come. */
  readonly wait?: Duration;
}

const PACER = {
  name: option.checked(checkPolicyName),
  pacer: option.having<Pacer>(["acquire"], "give what createPacer made"),
  cost: option.later,
  wait: option.duration(0).or(0),
} satisfies TableOf<PacerPolicy>;

const GRANTED: Answer = { granted: true, giveBack: () => undefined };

/** @throws DtError `DT_INVALID_OPTION` */
export function pacerPolicy<Raw>(options: PacerPolicy<Raw>): Policy<Raw> {
  const { name, pacer, waitMs } = settingsOf(PACER, options, "policy");
  const cost = checkCost(options.cost ?? 1);

  const ask = async (request: RequestFacts<Raw>, signal: AbortSignal | undefined): Promise<Answer> => {
    const units = costOf(valueFor(cost, request));
    try {
      await pacer.acquire(units, { timeout: waitMs, signal });
      return GRANTED;
    } catch (error) {
      if (!isDtError(error) || error.code === "DT_INVALID_COST") throw error;
      const { code, retryAfterMs } = error;
      // A pacer that cannot say when the next permit is due has no answer of its store.
      const cause = code === "DT_TIMEOUT" && retryAfterMs !== undefined ? "quota" : "capacity";
      return { granted: false, cause, retryAfterMs };
    }
  };
  // Its next instant is known to the store alone, and asking for it is a round trip: it is told only to whoever is
  // refused.
  return { name, waits: waitMs > 0, ask, standing: () => undefined };
}

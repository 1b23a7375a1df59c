import { type Duration, isDtError, type Pacer } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { type PerRequest, type RequestFacts, valueFor } from "../request-facts.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Policy } from "./policy.ts";

/** A distance between requests, kept by all servers that share the pacer's key. */
export interface PacerPolicy<Raw = unknown> {
  /** The name that clients receive: printable ASCII. */
  readonly name: string;
  /** The pacer. The program that made it stops it. */
  readonly pacer: Pacer;
  /**
   * What a request costs, in units of the pacer's distance: a whole number of at least 1.
   * @default 1
   */
  readonly cost?: PerRequest<Raw, number>;
  /**
   * How long a request may wait for its instant. With 0 it is refused at once, with the time at which to come again.
   * @default 0
   */
  readonly acquireTimeout?: Duration;
}

const PACER = {
  name: option.checked(checkPolicyName),
  pacer: option.having<Pacer>(["acquire"], "give what createPacer made"),
  cost: option.later,
  acquireTimeout: option.duration(0).or(0),
} satisfies TableOf<PacerPolicy>;

const GRANTED: Answer = { granted: true, giveBack: () => undefined };

/** @throws DtError `DT_INVALID_OPTION` */
export function pacerPolicy<Raw>(options: PacerPolicy<Raw>): Policy<Raw> {
  const { name, pacer, acquireTimeoutMs } = settingsOf(PACER, options, "policy");
  const cost = checkCost(options.cost ?? 1);

  const ask = async (request: RequestFacts<Raw>, signal: AbortSignal | undefined): Promise<Answer> => {
    const units = costOf(valueFor(cost, request));
    try {
      await pacer.acquire(units, { timeout: acquireTimeoutMs, signal });
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
  return { name, waits: acquireTimeoutMs > 0, ask, standing: () => undefined };
}

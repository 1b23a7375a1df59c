import { type BucketLimit, type DtError, isDtError } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { bucketKey } from "../../bucket-key.ts";
import { type PerRequest, type RequestFacts, valueFor } from "../request-facts.ts";
import { LARGEST_INTEGER, type Standing } from "../standing.ts";
import type { StoreWatch, WhenStoreLost } from "../store-watch.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Policy } from "./policy.ts";

/** What a keyed limit answers, as far as it is used here. */
export interface KeyedAnswer {
  /** Whether the request may go on. */
  readonly allowed: boolean;
  /** The key's limit in force. */
  readonly limit: BucketLimit;
  /** Whole units that are left. */
  readonly remaining: number;
  /** The time until all units are back, in milliseconds. */
  readonly resetMs: number;
  /** The time after which it is worth asking again, in milliseconds. */
  readonly retryAfterMs: number;
  /** The request's slot, where the limit has `concurrent`. */
  readonly slot?: { release(): void } | undefined;
  /** Why the store could not be asked, where the keyed limit itself decided what becomes of the request. */
  readonly storeError?: DtError | undefined;
}

/** A limit for each key: what `createKeyed` of `@dt/keyed` makes. */
export interface KeyedChecks {
  /**
   * Takes a cost of a key where that is allowed now.
   * @param key whose
   * @param cost units
   */
  check(key: string, cost?: number): Promise<KeyedAnswer>;
}

/** A limit for each key, kept by all servers together. */
export interface KeyedPolicy<Raw = unknown> {
  /** The name that clients receive: printable ASCII. */
  readonly name: string;
  /** The limit: what `createKeyed` of `@dt/keyed` made. The program that made it stops it. */
  readonly keyed: KeyedChecks;
  /**
   * Whose request it is: requests with the same text are counted together. Undefined for a request that is not counted.
   */
  readonly key: (request: RequestFacts<Raw>) => string | undefined;
  /**
   * Units that a request takes: a whole number of at least 1.
   * @default 1
   */
  readonly cost?: PerRequest<Raw, number>;
  /**
   * The partition (`pk`) that clients receive, from their key. Every proxy on the way can read it: no secret.
   * @default none
   */
  readonly partition?: (key: string) => string;
  /**
   * What becomes of a request whose key cannot be looked up since the store is away. `"allow"`: it goes on, uncounted.
   * `"deny"`: it is answered 503 with `Retry-After`. A `whenStoreLost` of the keyed limit itself comes first.
   * @default "allow": a store that is away does not take the server with it
   */
  readonly whenStoreLost?: WhenStoreLost;
}

const KEYED = {
  name: option.checked(checkPolicyName),
  keyed: option.having<KeyedChecks>(["check"], "give what createKeyed made"),
  key: option.callback("give a function of the request: it finds whose request it is"),
  cost: option.later,
  partition: option.callback().optional,
  whenStoreLost: option.oneOf("allow", "deny").or("allow"),
} satisfies TableOf<KeyedPolicy>;

const UNCOUNTED: Answer = { granted: true, giveBack: () => undefined };

/** @throws DtError `DT_INVALID_OPTION` */
export function keyedPolicy<Raw>(options: KeyedPolicy<Raw>, watch: StoreWatch): Policy<Raw> {
  const { name, keyed, whenStoreLost: told } = settingsOf(KEYED, options, "policy");
  const cost = checkCost(options.cost ?? 1);
  const { key, partition } = options;
  watch.add(name);

  const answer = (check: KeyedAnswer, whose: string): Answer => {
    if (check.storeError) return watch.lost(name, check.storeError, check.allowed ? "allow" : "deny");
    watch.answered(name);
    const standing = standingOf(name, check, partition?.(whose));
    if (!check.allowed) return { granted: false, cause: "quota", retryAfterMs: check.retryAfterMs, standing };
    const release = (): void => check.slot?.release();
    return { granted: true, giveBack: release, ended: release, standing };
  };
  const ask = async (request: RequestFacts<Raw>): Promise<Answer> => {
    const whose = key(request);
    if (whose === undefined) return UNCOUNTED;
    const units = costOf(valueFor(cost, request));
    try {
      return answer(await keyed.check(bucketKey(whose), units), whose);
    } catch (error) {
      if (!isDtError(error)) throw error;
      // More than the burst is never there at once.
      if (error.code === "DT_INVALID_COST") return { granted: false, cause: "quota", retryAfterMs: undefined };
      if (error.code === "DT_STOPPED") return { granted: false, cause: "capacity", retryAfterMs: undefined };
      if (!error.code.startsWith("DT_STORE_") && error.code !== "DT_PACE_MISMATCH") throw error;
      return watch.lost(name, error, told);
    }
  };
  return { name, waits: false, ask, standing: () => undefined };
}

/** The burst is the quota, and the time in which it comes back is its window: the same rate in these words. */
function standingOf(name: string, check: KeyedAnswer, partition: string | undefined): Standing {
  const { limit, remaining, resetMs } = check;
  const { burst, max, windowMs } = limit;
  const everyMs = windowMs / max;
  const left = Math.max(0, Math.floor(remaining));
  // Who has nothing need not wait until everything is back.
  const nextMs = left === 0 ? resetMs - (burst - 1) * everyMs : resetMs;
  return {
    name,
    quota: Math.min(LARGEST_INTEGER, burst),
    windowMs: burst * everyMs,
    remaining: Math.min(LARGEST_INTEGER, left),
    resetMs: Math.max(0, nextMs),
    partition,
  };
}

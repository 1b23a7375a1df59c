import {
  type AdaptiveThrottle,
  type Classifier,
  type ConcurrencyLimit,
  classifier,
  classify,
  type RetryBudget,
  type RetryBudgetOptions,
  type Rule,
} from "@dt/adaptive";
import { type Duration, type Pacer, type Runtime, systemRuntime, type Throttle } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkName, checkRuntime, invalidOption } from "@dt/core/kit";

/** What is known of a request before it goes out. */
export interface OutgoingRequest {
  /** In capitals. */
  readonly method: string;
  /** Scheme, host and port, such as `https://api.example.com`. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** One of its header fields, by its lower-case name. */
  header(name: string): string | undefined;
}

/** A part that all callees share, or a function that gives each callee its own; undefined for none. */
export type PerCallee<Part> = Part | ((callee: string) => Part | undefined);

/** Options of {@link createHttpClient}. Durations are milliseconds or strings such as `"30s"`. */
export interface HttpClientOptions {
  /** Shown in events and in the status. Default `"http"`. */
  readonly name?: string;
  /**
   * Names the callee of a request: whoever pauses together. Default: the origin. An API that counts by customer is one
   * callee for each: `({ origin, header }) => origin + header("x-customer")`.
   */
  readonly callee?: (request: OutgoingRequest) => string;
  /** What the callee may be sent: a promise that holds for the whole fleet. */
  readonly throttle?: PerCallee<Throttle>;
  /** How far apart the fleet's requests are. */
  readonly pacer?: PerCallee<Pacer>;
  /** How many requests are in flight; a slot is held until the body of the answer has ended. */
  readonly limit?: PerCallee<ConcurrencyLimit>;
  /** Refuses requests here that the callee would refuse, with `DT_THROTTLED`. */
  readonly rejection?: PerCallee<AdaptiveThrottle>;
  /**
   * A budget for retries, or the options of one that is made for each callee; `false`: nothing is tried again. Default:
   * one for each callee.
   */
  readonly retry?: false | RetryBudgetOptions | PerCallee<RetryBudget>;
  /** Tries again also what may not be safe to repeat: a POST without `Idempotency-Key`. Default false. */
  readonly retryUnsafe?: boolean;
  /** What a request costs the throttle, the pacer and the limit. Default 1. */
  readonly cost?: number | ((request: OutgoingRequest) => number);
  /** How important it is to the limit: a whole number from -9 to 9. Default 0. */
  readonly priority?: number | ((request: OutgoingRequest) => number);
  /** No pause lasts longer, whatever the callee asks for. Default 60 s. */
  readonly maxPause?: Duration;
  /**
   * A request that could not go out for so long is refused with `DT_ACQUIRE_TIMEOUT`; at once when a pause lasts
   * longer. Default: twice `maxPause`.
   */
  readonly maxWait?: Duration;
  /** Time from sending a request to the headers of its answer; each attempt has its own. Default 60 s. */
  readonly timeout?: Duration;
  /** Time from the headers of an answer to the end of its body, read or not. Default 5 min. */
  readonly bodyTimeout?: Duration;
  /** Says what an answer or an error means: a classifier, or a single rule. Default: `classify` of `@dt/adaptive`. */
  readonly classify?: Rule;
  /** Callees that are remembered at once, at least; idle ones are forgotten first. Default 1,000. */
  readonly maxCallees?: number;
  /** What `fetch` of the client calls. Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Time, timers and chance. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface HttpClientSettings {
  readonly callee: HttpClientOptions["callee"] | undefined;
  readonly throttle: HttpClientOptions["throttle"] | undefined;
  readonly pacer: HttpClientOptions["pacer"] | undefined;
  readonly limit: HttpClientOptions["limit"] | undefined;
  readonly rejection: HttpClientOptions["rejection"] | undefined;
  readonly cost: HttpClientOptions["cost"] | undefined;
  readonly priority: HttpClientOptions["priority"] | undefined;
  readonly name: string;
  readonly retry: Exclude<HttpClientOptions["retry"], undefined>;
  readonly retryUnsafe: boolean;
  readonly maxPauseMs: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly classify: Classifier;
  readonly maxCallees: number;
  readonly fetch: typeof fetch | undefined;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof HttpClientOptions>([
  "name",
  "callee",
  "throttle",
  "pacer",
  "limit",
  "rejection",
  "retry",
  "retryUnsafe",
  "cost",
  "priority",
  "maxPause",
  "maxWait",
  "timeout",
  "bodyTimeout",
  "classify",
  "maxCallees",
  "fetch",
  "runtime",
]);

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkHttpClient(options: HttpClientOptions): HttpClientSettings {
  checkKeys("options", options, KNOWN);
  const { callee, throttle, pacer, limit, rejection, cost, priority, retry = {}, retryUnsafe = false } = options;
  for (const name of ["callee", "fetch", "classify"] as const) checkFunction(name, options[name]);
  if (typeof retryUnsafe !== "boolean") throw invalidOption("retryUnsafe", retryUnsafe, "give true or false");
  if (retry !== false && typeof retry !== "function" && (typeof retry !== "object" || retry === null))
    throw invalidOption(
      "retry",
      retry,
      "give false, options of a retry budget, a retry budget, or a function of the callee",
    );
  const maxPauseMs = checkDuration("maxPause", options.maxPause ?? 60_000, 1);
  return {
    name: checkName("name", options.name ?? "http"),
    callee,
    throttle,
    pacer,
    limit,
    rejection,
    cost,
    priority,
    retry,
    retryUnsafe,
    maxPauseMs,
    maxWaitMs: checkDuration("maxWait", options.maxWait ?? 2 * maxPauseMs, 0),
    timeoutMs: checkDuration("timeout", options.timeout ?? 60_000, 1),
    bodyTimeoutMs: checkDuration("bodyTimeout", options.bodyTimeout ?? 300_000, 1),
    classify: options.classify ? classifier(options.classify) : classify,
    maxCallees: checkInteger("maxCallees", options.maxCallees ?? 1_000, 1),
    fetch: options.fetch,
    runtime: checkRuntime(options.runtime ?? systemRuntime),
  };
}

function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function")
    throw invalidOption(name, value, "give a function, or leave it out");
}

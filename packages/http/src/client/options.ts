import {
  type AdaptiveThrottle,
  type AnswerHook,
  type AnswerReader,
  type Classifier,
  type ConcurrencyLimit,
  classifier,
  classifierOf,
  createAnswerReader,
  type Pausable,
  type RetryBudget,
  type RetryBudgetOptions,
  type Rule,
} from "@dt/adaptive";
import type { Duration, Pacer, Runtime, Semaphore, Throttle } from "@dt/core";
import { checkVersion, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";

/** What is known of a request before it goes out. */
export interface OutgoingRequest {
  /** In capitals. */
  readonly method: string;
  /** Scheme, host and port, such as `https://api.example.com`. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /**
   * One of its header fields, by its lower-case name.
   * @param name the header's name
   */
  header(name: string): string | undefined;
}

/** A part that all callees share, or a function that gives each callee its own; undefined for none. */
export type PerCallee<Part> = Part | ((callee: string) => Part | undefined);

/** Options of {@link createHttpClient}. Durations are milliseconds or strings such as `"30s"`. */
export interface HttpClientOptions {
  /**
   * Shown in events and in the status.
   * @default `"http"`
   */
  readonly name?: string;
  /**
   * Names the callee of a request: requests of one callee pause together. An API that counts by customer is one callee
   * for each: `({ origin, header }) => origin + header("x-customer")`.
   * @default the origin
   */
  readonly callee?: (request: OutgoingRequest) => string;
  /**
   * What the callee may be sent: a promise that holds for the whole fleet.
   * @default none
   */
  readonly throttle?: PerCallee<Throttle>;
  /**
   * How far apart the fleet's requests are.
   * @default none
   */
  readonly pacer?: PerCallee<Pacer>;
  /**
   * How many requests are in flight; a slot is held until the body of the answer has ended.
   * @default none
   */
  readonly limit?: PerCallee<ConcurrencyLimit>;
  /**
   * How many requests of the whole fleet are in flight; a slot is held until the body of the answer has ended. A
   * request whose slot is lost or overdue is aborted with the reason of the slot's signal.
   * @default none
   */
  readonly semaphore?: PerCallee<Semaphore>;
  /**
   * A refusal with a stated wait (`429` with `Retry-After`) pauses the throttle, the pacer and the semaphore in the
   * whole fleet, for `maxPause` at most. `false`: only this client pauses.
   * @default true
   */
  readonly sharePauses?: boolean;
  /**
   * Further limiters that pause with them, such as a budget that the requests are made in.
   * @default none
   */
  readonly alsoPause?: PerCallee<readonly Pausable[]>;
  /**
   * Refuses requests here that the callee would refuse, with `DT_LIMITED`.
   * @default none
   */
  readonly rejection?: PerCallee<AdaptiveThrottle>;
  /**
   * A budget for retries, or the options of one that is made for each callee; `false`: nothing is tried again.
   * @default one for each callee
   */
  readonly retry?: false | RetryBudgetOptions | PerCallee<RetryBudget>;
  /**
   * Tries again also what may not be safe to repeat: a POST without `Idempotency-Key`.
   * @default false
   */
  readonly retryUnsafe?: boolean;
  /**
   * What a request costs the throttle, the pacer, the limit and the semaphore.
   * @default 1
   */
  readonly cost?: number | ((request: OutgoingRequest) => number);
  /**
   * How important it is to the limit and the semaphore: a whole number from -9 to 9.
   * @default 0
   */
  readonly priority?: number | ((request: OutgoingRequest) => number);
  /**
   * No pause lasts longer, whatever the callee asks for.
   * @default 60 s
   */
  readonly maxPause?: Duration;
  /**
   * How long nothing is sent after a refusal without a readable time, and up to half more at random. It is twice as
   * long the second time in a row, and so on to `maxPause`. Not while other requests succeed; the request itself waits
   * in any case, unless `retry` has a `refusalDelay` of its own.
   * @default 1 s; 0 for no such pause
   */
  readonly refusalPause?: Duration;
  /**
   * A request that could not go out for so long is refused with `DT_TIMEOUT`; at once when a pause lasts longer.
   * @default none, it waits as long as its `signal` lets it
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most requests to one callee that wait; a further one is refused with `DT_QUEUE_FULL`.
   * @default 100,000
   */
  readonly maxWaiters?: number;
  /**
   * Time from sending a request to the headers of its answer; each attempt has its own.
   * @default none
   */
  readonly responseTimeout?: Duration;
  /**
   * How long a callee may send nothing in the middle of a body that is being read. After as long (default 5 min) a body
   * that is not read gives back its slot of the limit; it can still be read. With a `semaphore` it cannot: the request
   * is aborted.
   * @default none of our own; the global `fetch` and undici have one of 5 min
   */
  readonly bodyTimeout?: Duration;
  /**
   * Reads reports that are not known here: is asked first about each answer. An error of the hook is the request's
   * error.
   * @default none
   * @example ({ header }) => ({ pauseMs: Number(header("x-wait-seconds") ?? 0) * 1000 })
   */
  readonly readAnswer?: AnswerHook;
  /**
   * The meaning of an answer or an error: a classifier, or a single rule.
   * @default `classify` of `@dt/adaptive`
   */
  readonly classify?: Rule;
  /**
   * Callees that are remembered at once, at least; idle ones are forgotten first.
   * @default 1,000
   */
  readonly maxCallees?: number;
  /**
   * What `fetch` of the client calls.
   * @default the global one
   */
  readonly fetch?: typeof fetch;
  /**
   * Time, timers and chance.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

type Open =
  | "callee"
  | "throttle"
  | "pacer"
  | "limit"
  | "semaphore"
  | "alsoPause"
  | "rejection"
  | "cost"
  | "priority"
  | "fetch";

/** The options, checked, in milliseconds. */
export interface HttpClientSettings
  extends Settings<Omit<HttpClientOptions, "readAnswer" | "classify" | "retry">, Open> {
  readonly retry: NonNullable<HttpClientOptions["retry"]>;
  readonly unreadMs: number;
  readonly reader: AnswerReader;
  readonly classify: Classifier;
  /** True where `classify` says no more than the reader does. */
  readonly usual: boolean;
}

const CLIENT = {
  name: option.name.or("http"),
  callee: option.callback<HttpClientOptions["callee"]>().optional,
  throttle: option.limiter<HttpClientOptions["throttle"]>(),
  pacer: option.limiter<HttpClientOptions["pacer"]>(),
  limit: option.limiter<HttpClientOptions["limit"]>(),
  semaphore: option.limiter<HttpClientOptions["semaphore"]>(),
  sharePauses: option.boolean.or(true),
  alsoPause: option.unchecked<HttpClientOptions["alsoPause"]>(),
  rejection: option.limiter<HttpClientOptions["rejection"]>(),
  retry: option.checked(checkRetry).or({}),
  retryUnsafe: option.boolean.or(false),
  cost: option.unchecked<HttpClientOptions["cost"]>(),
  priority: option.unchecked<HttpClientOptions["priority"]>(),
  maxPause: option.duration(1).or(60_000),
  refusalPause: option.duration(0).or(1_000),
  acquireTimeout: option.duration(0).or("366d"),
  maxWaiters: option.integer(1).or(100_000),
  responseTimeout: option.duration(1).optional,
  bodyTimeout: option.duration(1).optional,
  readAnswer: option.later,
  classify: option.callback<Rule>().optional,
  maxCallees: option.integer(1).or(1_000),
  fetch: option.callback<typeof fetch>().optional,
  runtime: option.runtime,
} satisfies TableOf<HttpClientOptions>;

/** Of a time that there is only where it is asked for. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** After so long the slot of an answer that nobody reads is free; sooner with a shorter `bodyTimeout`. */
const UNREAD_MS = 300_000;

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkHttpClient(options: HttpClientOptions): HttpClientSettings {
  const { classify, responseTimeoutMs = NEVER_MS, bodyTimeoutMs = NEVER_MS, ...settings } = settingsOf(CLIENT, options);
  const reader = createAnswerReader({ readAnswer: options.readAnswer, runtime: settings.runtime });
  return {
    ...settings,
    responseTimeoutMs,
    bodyTimeoutMs,
    unreadMs: Math.min(bodyTimeoutMs, UNREAD_MS),
    reader,
    classify: classify ? classifier(classify) : classifierOf(reader),
    usual: classify === undefined,
  };
}

function checkRetry(name: string, retry: unknown): NonNullable<HttpClientOptions["retry"]> {
  checkVersion(name, retry);
  if (retry === false || typeof retry === "function" || (typeof retry === "object" && retry !== null))
    return retry as NonNullable<HttpClientOptions["retry"]>;
  throw invalidOption(
    name,
    retry,
    "give false, options of a retry budget, a retry budget, or a function of the callee",
  );
}

import type { Duration, Runtime } from "@dt/core";
import { checkDuration, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { CLASSIFY } from "../outcome/default-classifier.ts";
import { type Budget, ShareBudget, TokenBudget } from "./budgets.ts";

/** Options of `createRetryBudget`. Durations are milliseconds or strings such as `"20s"`. */
export interface RetryBudgetOptions {
  /**
   * The budget's name, in events.
   * @default `"default"`
   */
  readonly name?: string;
  /**
   * Most retries of one call.
   * @default 3
   */
  readonly retries?: number;
  /**
   * No retry goes out while `minRetries` or more are under way and they are more than this part of all calls in flight.
   * From 0 to 1.
   * @default 0.2
   */
  readonly ratio?: number;
  /**
   * So many retries may be under way, however large a part they are.
   * @default 3
   */
  readonly minRetries?: number;
  /**
   * gRPC's budget instead of `ratio` and `minRetries`. Every attempt that is not taken costs one of `max` tokens
   * (default 10), and every success gives back `ratio` of one (default 0.1). Retries go out while more than half of the
   * tokens are there.
   * @default none: `ratio` and `minRetries` decide
   */
  readonly tokens?: { readonly max?: number; readonly ratio?: number };
  /**
   * A retry waits a random time up to this, up to twice this the second time, and so on.
   * @default 100 ms
   */
  readonly baseDelay?: Duration;
  /**
   * A call that was refused without a readable time waits at least so long, and up to half more at random. The second
   * time it is twice as long, and so on to `maxDelay`.
   * @default 1 s
   */
  readonly refusalDelay?: Duration;
  /**
   * No retry waits longer; a callee that asks for longer (`Retry-After`) is not called again.
   * @default 20 s
   */
  readonly maxDelay?: Duration;
  /**
   * The meaning of a call's end (a classifier, or a single rule): `overload` and `failure` are retried.
   * @default `classify`
   */
  readonly classify?: Rule;
  /**
   * Time, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface RetryBudgetSettings
  extends Settings<Omit<RetryBudgetOptions, "ratio" | "minRetries" | "tokens" | "classify">> {
  readonly budget: Budget;
  readonly classify: Classifier;
}

const part = option.number((value) => value >= 0 && value <= 1, "give a number from 0 to 1");

const RETRY = {
  name: option.name.or("default"),
  retries: option.integer(0, 100).or(3),
  ratio: part.optional,
  minRetries: option.integer(0).optional,
  tokens: option.later,
  baseDelay: option.duration(1).or(100),
  refusalDelay: option.duration(0).or(1_000),
  maxDelay: option.later,
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<RetryBudgetOptions>;

const TOKENS = {
  max: option.integer(1).or(10),
  ratio: part.or(0.1),
} satisfies TableOf<NonNullable<RetryBudgetOptions["tokens"]>>;

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkRetryBudget(options: RetryBudgetOptions): RetryBudgetSettings {
  const { ratio, minRetries, ...settings } = settingsOf(RETRY, options);
  const { baseDelayMs } = settings;
  return {
    ...settings,
    maxDelayMs: checkDuration("maxDelay", options.maxDelay ?? Math.max(20_000, baseDelayMs), baseDelayMs),
    budget:
      options.tokens === undefined
        ? new ShareBudget(ratio ?? 0.2, minRetries ?? 3)
        : tokenBudget({ tokens: options.tokens, others: ratio ?? minRetries }),
  };
}

function tokenBudget(options: { readonly tokens: object; readonly others: number | undefined }): Budget {
  if (options.others !== undefined)
    throw invalidOption("tokens", options.tokens, "leave out ratio and minRetries beside it: they are another budget");
  const { max, ratio } = settingsOf(TOKENS, options.tokens, "tokens", "tokens.");
  return new TokenBudget(max, ratio);
}

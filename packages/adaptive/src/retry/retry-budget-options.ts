import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkName, checkRuntime, invalidOption } from "@dt/core/kit";
import { checkClassifier } from "../outcome/check-classifier.ts";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { type Budget, ShareBudget, TokenBudget } from "./budgets.ts";

/** Options of `createRetryBudget`. Durations are milliseconds or strings such as `"20s"`. */
export interface RetryBudgetOptions {
  /** What it is called in events. Default `"default"`. */
  readonly name?: string;
  /** Most retries of one call. Default 3. */
  readonly retries?: number;
  /**
   * No retry goes out while `minRetries` or more are under way and they are more than this part of all calls in flight.
   * From 0 to 1; default 0.2.
   */
  readonly ratio?: number;
  /** Default 3. */
  readonly minRetries?: number;
  /**
   * gRPC's budget instead of `ratio` and `minRetries`: every attempt that is not taken costs one of `max` tokens
   * (default 10), every success gives back `ratio` of one (default 0.1), and retries go out while more than half of
   * them are there.
   */
  readonly tokens?: { readonly max?: number; readonly ratio?: number };
  /** A retry waits a random time up to this, up to twice this the second time, and so on. Default 100 ms. */
  readonly baseDelay?: Duration;
  /**
   * A call that was refused without a readable time waits at least so long, and up to half more at random; twice as
   * long the second time, and so on to `maxDelay`. Default 1 s.
   */
  readonly refusalDelay?: Duration;
  /** No retry waits longer; a callee that asks for longer (`Retry-After`) is not called again. Default 20 s. */
  readonly maxDelay?: Duration;
  /**
   * Says what the end of a call means (a classifier, or a single rule): `overload` and `failure` are retried. Default
   * `classify`.
   */
  readonly classify?: Rule;
  /** Time, timers and randomness. Default the real ones. */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface RetryBudgetSettings {
  readonly name: string;
  readonly retries: number;
  readonly budget: Budget;
  readonly baseDelayMs: number;
  readonly refusalDelayMs: number;
  readonly maxDelayMs: number;
  readonly classify: Classifier;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof RetryBudgetOptions>([
  "name",
  "retries",
  "ratio",
  "minRetries",
  "tokens",
  "baseDelay",
  "refusalDelay",
  "maxDelay",
  "classify",
  "runtime",
]);

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkRetryBudget(options: RetryBudgetOptions): RetryBudgetSettings {
  checkKeys("options", options, KNOWN);
  const baseDelayMs = checkDuration("baseDelay", options.baseDelay ?? 100, 1);
  return {
    name: checkName("name", options.name ?? "default"),
    retries: checkInteger("retries", options.retries ?? 3, 0, 100),
    budget: checkBudget(options),
    baseDelayMs,
    refusalDelayMs: checkDuration("refusalDelay", options.refusalDelay ?? 1_000, 0),
    maxDelayMs: checkDuration("maxDelay", options.maxDelay ?? Math.max(20_000, baseDelayMs), baseDelayMs),
    classify: checkClassifier(options.classify),
    runtime: checkRuntime(options.runtime ?? systemRuntime),
  };
}

function checkBudget({ tokens, ratio, minRetries }: RetryBudgetOptions): Budget {
  if (tokens === undefined)
    return new ShareBudget(checkPart("ratio", ratio ?? 0.2), checkInteger("minRetries", minRetries ?? 3, 0));
  if (ratio !== undefined || minRetries !== undefined)
    throw invalidOption("tokens", tokens, "leave out ratio and minRetries beside it: they are another budget");
  checkKeys("tokens", tokens, new Set(["max", "ratio"]), "tokens.");
  const max = checkInteger("tokens.max", tokens.max ?? 10, 1);
  return new TokenBudget(max, checkPart("tokens.ratio", tokens.ratio ?? 0.1));
}

function checkPart(option: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalidOption(option, value, "give a number from 0 to 1");
}

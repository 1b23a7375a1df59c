import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import {
  checkAcquireTimeout,
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  invalidOption,
} from "@dt/core/kit";
import { checkClassifier } from "../outcome/check-classifier.ts";
import type { Classifier, Rule } from "../outcome/classify.ts";
import type { Growth } from "./learned-rate.ts";
import type { CappedThrottle } from "./throttle-gate.ts";

/** Options of `createAdaptiveRate`. Durations are milliseconds or strings such as `"30s"`. */
export interface AdaptiveRateOptions {
  /** What it is called in events and errors. Default `"default"`. */
  readonly name?: string;
  /**
   * A started throttle whose tokens the calls take. Its level is capped at what is learned (`throttle.cap`), so that a
   * fleet finds a limit that nobody wrote down: every process has an adaptive rate over its own throttle of the group.
   * Without it the rate is this process's alone.
   */
  readonly throttle?: CappedThrottle;
  /** The part of the rate that is left after a refusal; between 0 and 1. Default 0.7. */
  readonly beta?: number;
  /**
   * How the rate grows again. `"cubic"` (default): fast to what was too much, slowly around it, then faster and faster;
   * `scale` is 0.4 by default. `"aimd"`: by `increase` calls a second every second, default 1.
   */
  readonly growth?:
    | "cubic"
    | "aimd"
    | { readonly type: "cubic"; readonly scale?: number }
    | { readonly type: "aimd"; readonly increase?: number };
  /**
   * The rate is never lower, in calls a second; more than 0. Default 0.5. Of a throttle it is at least one token an
   * interval.
   */
  readonly min?: number;
  /** No pause that the callee asks for (`Retry-After`) is longer. Default 60 s. */
  readonly maxPause?: Duration;
  /**
   * How long `acquire` waits when the call gives no `timeout`; it then rejects with `DT_ACQUIRE_TIMEOUT`. Default: for
   * as long as it takes. A throttle has its own.
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most callers that may wait at once; more are refused with `DT_QUEUE_FULL`. Default 10,000. A throttle has its own.
   */
  readonly maxWaiters?: number;
  /** Says what the end of a wrapped call means: a classifier, or a single rule. Default `classify`. */
  readonly classify?: Rule;
  /** Time and timers. Default the real ones. */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface AdaptiveRateSettings {
  readonly name: string;
  readonly throttle: CappedThrottle | undefined;
  readonly beta: number;
  readonly growth: Growth;
  readonly min: number;
  readonly maxPauseMs: number;
  readonly acquireTimeoutMs: number | undefined;
  readonly maxWaiters: number;
  readonly classify: Classifier;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof AdaptiveRateOptions>([
  "name",
  "throttle",
  "beta",
  "growth",
  "min",
  "maxPause",
  "acquireTimeout",
  "maxWaiters",
  "classify",
  "runtime",
]);

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkAdaptiveRate(options: AdaptiveRateOptions): AdaptiveRateSettings {
  checkKeys("options", options, KNOWN);
  const { beta = 0.7, min = 0.5, throttle } = options;
  if (!(typeof beta === "number" && beta > 0 && beta < 1))
    throw invalidOption("beta", beta, "give a number between 0 and 1");
  if (throttle !== undefined && (typeof throttle?.cap !== "function" || typeof throttle.tryAcquire !== "function"))
    throw invalidOption("throttle", throttle, "give what createThrottle of @dt/core made");
  return {
    name: checkName("name", options.name ?? "default"),
    throttle,
    beta,
    growth: checkGrowth(options.growth ?? "cubic"),
    min: checkPositive("min", min),
    maxPauseMs: checkDuration("maxPause", options.maxPause ?? 60_000, 0),
    acquireTimeoutMs: checkAcquireTimeout(options.acquireTimeout),
    maxWaiters: checkInteger("maxWaiters", options.maxWaiters ?? 10_000, 1),
    classify: checkClassifier(options.classify),
    runtime: checkRuntime(options.runtime ?? systemRuntime),
  };
}

function checkGrowth(given: NonNullable<AdaptiveRateOptions["growth"]>): Growth {
  const growth: Exclude<typeof given, string> = typeof given === "string" ? { type: given } : given;
  if (growth?.type === "cubic") {
    checkKeys("growth", growth, new Set(["type", "scale"]), "growth.");
    return { type: "cubic", scale: checkPositive("growth.scale", growth.scale ?? 0.4) };
  }
  if (growth?.type === "aimd") {
    checkKeys("growth", growth, new Set(["type", "increase"]), "growth.");
    return { type: "aimd", increase: checkPositive("growth.increase", growth.increase ?? 1) };
  }
  throw invalidOption("growth", given, 'give "cubic" or "aimd", or an object with one of these as its type');
}

function checkPositive(option: string, value: unknown): number {
  if (typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw invalidOption(option, value, "give a number more than 0");
}

import type { Duration, Runtime } from "@dt/core";
import { option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { CLASSIFY } from "../outcome/default-classifier.ts";
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
   * How long `acquire` waits when the call gives no `timeout`; it then rejects with `DT_TIMEOUT`. Default: for
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
export interface AdaptiveRateSettings
  extends Settings<Omit<AdaptiveRateOptions, "growth" | "classify">, "throttle" | "acquireTimeout"> {
  readonly growth: Growth;
  readonly classify: Classifier;
}

const RATE = {
  name: option.name.or("default"),
  throttle: option.having<CappedThrottle>(["cap", "tryAcquire"], "give what createThrottle of @dt/core made").optional,
  beta: option.number((beta) => beta > 0 && beta < 1, "give a number between 0 and 1").or(0.7),
  growth: option
    .byType(
      { cubic: { scale: option.positive.or(0.4) }, aimd: { increase: option.positive.or(1) } },
      'give "cubic" or "aimd", or an object with one of these as its type',
    )
    .or("cubic"),
  min: option.positive.or(0.5),
  maxPause: option.duration(0).or(60_000),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<AdaptiveRateOptions>;

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkAdaptiveRate(options: AdaptiveRateOptions): AdaptiveRateSettings {
  return settingsOf(RATE, options);
}

import type { Duration, Runtime } from "@dt/core";
import { checkDuration, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { CLASSIFY } from "../outcome/default-classifier.ts";

/** Options of `createAdaptiveThrottle`. Durations are milliseconds or strings such as `"30s"`. */
export interface AdaptiveThrottleOptions {
  /**
   * The throttle's name, in events and errors.
   * @default `"default"`
   */
  readonly name?: string;
  /**
   * With more calls than the callee takes, `k` times its capacity is sent. The part above its capacity is refused, or
   * shows that the callee takes more now. More than 1. The SRE book and the Beam design have 2, which sends twice the
   * capacity.
   * @default 1.1
   */
  readonly k?: number;
  /**
   * For how long a call is counted. A shorter window notices a change sooner, and counts more roughly.
   * @default 2 s; not together with `reset`
   */
  readonly window?: Duration;
  /**
   * For how long calls are counted instead, while `window` has fewer than `minRequests` calls. At least `window`.
   * @default 30 s
   */
  readonly longWindow?: Duration;
  /**
   * Counts since the last reset instead, and resets so often, as the Beam design does with `{ k: 2, reset: "1m" }`.
   * `minRequests` and `probeRate` are then 0 by default.
   * @default none: `window` counts
   */
  readonly reset?: Duration;
  /**
   * All calls are made while fewer than so many were counted.
   * @default 10
   */
  readonly minRequests?: number;
  /**
   * At least this part of the calls is made, to see whether the callee is back; 0 to 0.01.
   * @default 0.005: every two hundredth
   */
  readonly probeRate?: number;
  /**
   * What the end of a call of `run` or `wrap` means: a classifier, or a single rule.
   * @default `classify`
   */
  readonly classify?: Rule;
  /**
   * Time and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface AdaptiveThrottleSettings
  extends Settings<Omit<AdaptiveThrottleOptions, "probeRate" | "classify">, "reset"> {
  readonly probeEvery: number;
  readonly classify: Classifier;
}

const THROTTLE = {
  name: option.name.or("default"),
  k: option.number((k) => k > 1 && k <= 100, "give a number above 1, at most 100").or(1.1),
  window: option.duration(20).or(2_000),
  longWindow: option.later,
  reset: option.duration(20).optional,
  minRequests: option.integer(0).optional,
  probeRate: option.number((rate) => rate >= 0 && rate <= 0.01, "give a part of the calls from 0 to 0.01").optional,
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<AdaptiveThrottleOptions>;

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkAdaptiveThrottle(options: AdaptiveThrottleOptions): AdaptiveThrottleSettings {
  const { minRequests, probeRate: given, ...settings } = settingsOf(THROTTLE, options);
  const { resetMs, windowMs } = settings;
  for (const name of ["window", "longWindow"] as const)
    if (resetMs !== undefined && options[name] !== undefined)
      throw invalidOption(name, options[name], "leave it out beside reset, which counts since the last one");
  const probeRate = given ?? (resetMs === undefined ? 0.005 : 0);
  return {
    ...settings,
    longWindowMs: checkDuration("longWindow", options.longWindow ?? Math.max(30_000, windowMs), windowMs),
    minRequests: minRequests ?? (resetMs === undefined ? 10 : 0),
    probeEvery: probeRate === 0 ? Number.POSITIVE_INFINITY : Math.ceil(1 / probeRate),
  };
}

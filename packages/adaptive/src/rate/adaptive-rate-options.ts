import type { Duration, Rate, Runtime } from "@dt/core";
import { option, packageName, parseRate, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import { LEARNED_OPTION, type LearnedOptions } from "../learned/learned-options.ts";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { CLASSIFY } from "../outcome/default-classifier.ts";
import type { Growth } from "./learned-rate.ts";
import type { CappedThrottle } from "./throttle-gate.ts";

/** Options of `createAdaptiveRate`. Durations are milliseconds or text such as `"30s"`. */
export interface AdaptiveRateOptions {
  /**
   * The rate's name, in errors, in the status and in events.
   * @default "default"
   */
  readonly name?: string;
  /**
   * A throttle whose tokens the calls take, one for each call. Its level is capped at the rate that is learned
   * (`throttle.cap`), so that a fleet finds a limit that is written down nowhere. Every process has an adaptive rate
   * over its own throttle of one name. Give the throttle `shares: "even"`: where shares follow demand, members with
   * different caps together send up to a sixth more than is learned.
   * @default none: the rate is this process's alone
   */
  readonly throttle?: CappedThrottle;
  /**
   * The part of the rate that is left after a refusal; between 0 and 1.
   * @default 0.7
   */
  readonly beta?: number;
  /**
   * How the rate grows again. `"cubic"`: fast to what was too much, slowly around it, then faster and faster. `"aimd"`:
   * by 1 call a second every second. An object sets its parameter: `{ type: "cubic", scale: 0.4 }`, or `{ type: "aimd",
   * increase: 5 }` for 5 calls a second every second.
   * @default "cubic", with a scale of 0.4
   */
  readonly growth?: "cubic" | "aimd" | Growth;
  /**
   * The rate is never lower than this, such as `"30/min"`; a number is in calls a second. Of a throttle it is at least
   * one token an interval.
   * @default "30/min"
   */
  readonly min?: Rate;
  /**
   * No pause that the callee asks for (`Retry-After`) is longer.
   * @default "60s"
   */
  readonly maxPause?: Duration;
  /**
   * The `timeout` of calls that give none. A throttle has its own.
   * @default none: a call waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most callers that wait at once. A further one is refused with `DT_QUEUE_FULL`. A throttle has its own.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * Keeps the rate that is learned in a store. A process that starts later starts from it, once the store has answered:
   * no call waits for that, and a store that is away changes nothing. A changed rate is written at most once a minute,
   * and by `drain` and `stop`.
   * @default none: every process starts without a rate
   */
  readonly learned?: LearnedOptions;
  /**
   * What the end of a call of `run` or `wrap` means: a classifier, or a single rule.
   * @default `classify`, which knows the answers of fetch and HTTP clients, gRPC, AWS and Node
   */
  readonly classify?: Rule;
  /**
   * The source of time and timers.
   * @default the real one
   */
  readonly runtime?: Runtime;
}

/** The options, checked, in milliseconds. */
export interface AdaptiveRateSettings
  extends Settings<
    Omit<AdaptiveRateOptions, "growth" | "classify" | "min">,
    "throttle" | "acquireTimeout" | "learned"
  > {
  readonly growth: Growth;
  /** In calls a second. */
  readonly min: number;
  readonly classify: Classifier;
}

const RATE = {
  name: option.name.or("default"),
  throttle: option.having<CappedThrottle>(
    ["cap", "tryAcquire"],
    `give what createThrottle of ${packageName("core")} made`,
  ).optional,
  beta: option.number((beta) => beta > 0 && beta < 1, "give a number between 0 and 1").or(0.7),
  growth: option.checked(checkGrowth).or("cubic"),
  min: option.checked(checkMin).or("30/min"),
  maxPause: option.duration(0).or(60_000),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  learned: LEARNED_OPTION,
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<AdaptiveRateOptions>;

const GROWTHS: Readonly<Record<string, Growth>> = {
  cubic: { type: "cubic", scale: 0.4 },
  aimd: { type: "aimd", increase: 1 },
};

const GROWTH = option.byType(
  { cubic: { scale: option.positive }, aimd: { increase: option.positive } },
  'give "cubic" or "aimd", or { type: "cubic", scale } or { type: "aimd", increase }',
);

function checkGrowth(name: string, given: unknown): Growth {
  const known = typeof given === "string" && Object.hasOwn(GROWTHS, given) ? GROWTHS[given] : undefined;
  return known ?? GROWTH.check(name, given);
}

function checkMin(name: string, given: unknown): number {
  const { count, intervalMs } = parseRate(name, given);
  return (count / intervalMs) * 1_000;
}

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkAdaptiveRate(options: AdaptiveRateOptions): AdaptiveRateSettings {
  return settingsOf(RATE, options);
}

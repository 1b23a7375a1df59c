import type { Duration, Pacer, Runtime, Throttle } from "@dt/core";
import {
  checkDuration,
  checkInteger,
  checkKeys,
  checkSignal,
  checkVersion,
  invalidOption,
  option,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import { checkCost } from "../cost.ts";
import type { ConcurrencyLimit } from "../limit/concurrency-limit.ts";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { checkClassifier } from "../outcome/default-classifier.ts";
import { type AdaptiveThrottle, isAdaptiveThrottle } from "../throttle/adaptive-throttle.ts";

/**
 * Options of {@link createGuard}. Every part may be left out, and shared with others; whoever made it stops it.
 * Durations are milliseconds or strings such as `"60s"`.
 */
export interface GuardOptions {
  /** Shown in errors, in the status and in events. Default `"guard"`. */
  readonly name?: string;
  /** Refuses calls that the callee would probably refuse. */
  readonly rejection?: AdaptiveThrottle;
  /** How many calls may be in flight. */
  readonly limit?: ConcurrencyLimit;
  /** The distance between calls of all processes. */
  readonly pacer?: Pacer;
  /** How many calls all processes together may begin in an interval. */
  readonly throttle?: Throttle;
  /** No pause lasts longer, whatever the callee asks for. Default 60 s. */
  readonly maxPause?: Duration;
  /**
   * How long nothing goes out after a refusal that tells no readable time: up to half more at random, twice as long the
   * second time in a row, and so on to `maxPause`. Not while other calls succeed, nor with a rejection, which sees to
   * that. Default 1 s; 0 for no such pause.
   */
  readonly refusalPause?: Duration;
  /** Most callers that wait for the end of a pause; a further one is refused with `DT_QUEUE_FULL`. Default 10,000. */
  readonly maxWaiters?: number;
  /**
   * How long a call without a `timeout` of its own waits for the end of a pause before it is refused with
   * `DT_TIMEOUT`. Default: until it ends.
   */
  readonly acquireTimeout?: Duration;
  /** Where time and timers come from. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** How one call enters. */
export interface EnterOptions {
  /**
   * What the call weighs in the limit, and takes of the pacer and the throttle. Default 1. A throttle takes whole
   * numbers only.
   */
  readonly cost?: number | undefined;
  /** How important it is to the limit: a whole number from -9 to 9, default 0. */
  readonly priority?: number | undefined;
  /** Is asked instead of the guard's own, for calls that are counted apart from others. */
  readonly rejection?: AdaptiveThrottle | undefined;
  /** After this time `enter` resolves to undefined; at once when a pause lasts longer. */
  readonly timeout?: Duration | undefined;
  /** Aborting it rejects the call with the signal's reason. What it had already taken goes back. */
  readonly signal?: AbortSignal | undefined;
}

/** How one call enters, and what its end means. */
export interface GuardedOptions extends EnterOptions {
  /** Says what it means how the call ended: a classifier, or a single rule. Default `classify`. */
  readonly classify?: Rule | undefined;
}

/** The options, checked, in milliseconds. */
export type GuardSettings = Settings<GuardOptions, "rejection" | "limit" | "pacer" | "throttle" | "acquireTimeout">;

/** What one call asks for, checked. */
export interface Want {
  readonly cost: number;
  readonly priority: number;
  readonly rejection: AdaptiveThrottle | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly classify: Classifier;
}

/** Parts are known by methods that the others do not have: they may come from another copy of their package. */
const madeBy = (maker: string): string => `give what ${maker} makes, or leave it out`;
const rejection = option.checked(checkRejection).optional;

const GUARD = {
  name: option.name.or("guard"),
  rejection,
  limit: option.having<ConcurrencyLimit>(["acquire", "drain"], madeBy("createConcurrencyLimit()")).optional,
  pacer: option.having<Pacer>(["acquire", "wrap"], madeBy("createPacer(...)")).optional,
  throttle: option.having<Throttle>(["deposit", "wrap"], madeBy("createThrottle(...)")).optional,
  maxPause: option.duration(1).or(60_000),
  refusalPause: option.duration(0).or(1_000),
  maxWaiters: option.integer(1).or(10_000),
  acquireTimeout: option.duration(1).optional,
  runtime: option.runtime,
} satisfies TableOf<GuardOptions>;

const ENTER_OPTIONS = ["cost", "priority", "rejection", "timeout", "signal"] as const satisfies (keyof EnterOptions)[];
const ENTER: ReadonlySet<string> = new Set(ENTER_OPTIONS);
const GUARDED: ReadonlySet<string> = new Set<keyof GuardedOptions>([...ENTER_OPTIONS, "classify"]);

/** @throws DtError `DT_INVALID_OPTION` */
function checkRejection(name: string, given: unknown): AdaptiveThrottle {
  checkVersion(name, given);
  if (isAdaptiveThrottle(given)) return given;
  throw invalidOption(name, given, madeBy("createAdaptiveThrottle()"));
}

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkGuard(options: GuardOptions): GuardSettings {
  return settingsOf(GUARD, options);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkEnter(options: EnterOptions, settings: GuardSettings): Want {
  checkKeys("options", options, ENTER);
  return checkWant(options, settings);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkGuarded(options: GuardedOptions, settings: GuardSettings): Want {
  checkKeys("options", options, GUARDED);
  return checkWant(options, settings);
}

function checkWant(options: GuardedOptions, settings: GuardSettings): Want {
  const { timeout } = options;
  return {
    cost: checkCost(options.cost ?? 1),
    priority: checkInteger("priority", options.priority ?? 0, -9, 9),
    rejection: rejection.check("rejection", options.rejection) ?? settings.rejection,
    timeoutMs: timeout === undefined ? undefined : checkDuration("timeout", timeout, 0),
    signal: checkSignal(options.signal),
    classify: checkClassifier(options.classify),
  };
}

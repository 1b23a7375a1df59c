import type { AcquireOptions, Duration, Pacer, Runtime, Semaphore, Throttle } from "@dt/core";
import {
  ACQUIRE_OPTIONS,
  type AcquireSettings,
  type CallOptions,
  checkAcquireOptions,
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
import { CLASSIFY, checkClassifier } from "../outcome/default-classifier.ts";
import { checkPausables, type Pausable } from "../pausable.ts";
import { type AdaptiveThrottle, isAdaptiveThrottle } from "../throttle/adaptive-throttle.ts";

/**
 * Options of {@link createGuard}. Every part may be left out, and may be shared with others: the program that made it
 * stops it. Durations are milliseconds or text such as `"60s"`.
 */
export interface GuardOptions {
  /**
   * The guard's name, in errors, in the status and in events.
   * @default "guard"
   */
  readonly name?: string;
  /**
   * Refuses calls that the callee would probably refuse.
   * @default none
   */
  readonly rejection?: AdaptiveThrottle;
  /**
   * How many calls may be in flight.
   * @default none
   */
  readonly limit?: ConcurrencyLimit;
  /**
   * How many calls all processes together may have in flight. A call takes its slot after that of the `limit` and
   * before its tokens, and ends when `passage.signal` fires.
   * @default none
   */
  readonly semaphore?: Semaphore;
  /**
   * The distance between calls of all processes.
   * @default none
   */
  readonly pacer?: Pacer;
  /**
   * How many calls all processes together may begin in an interval.
   * @default none
   */
  readonly throttle?: Throttle;
  /**
   * Limiters that hold the callee's calls back elsewhere, such as a budget: {@link Guard.pauseUntil} pauses them, too.
   * @default none
   */
  readonly alsoPause?: readonly Pausable[];
  /**
   * No pause lasts longer, whatever the callee asks for.
   * @default "60s"
   */
  readonly maxPause?: Duration;
  /**
   * How long no call is let through after a refusal without a readable time, and up to half more at random. It is twice
   * as long the second time in a row, and so on to `maxPause`. There is no such pause while other calls succeed, nor
   * with a rejection, which looks after such refusals. 0 for none.
   * @default "1s"
   */
  readonly refusalPause?: Duration;
  /**
   * Most callers that wait for the end of a pause. A further one is refused with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * The `timeout` of calls that give none.
   * @default none: a call waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
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

/** How one call is let through. */
export interface GuardAcquireOptions extends AcquireOptions {
  /**
   * The adaptive throttle that is asked instead of the guard's own, for calls that are counted apart from others.
   * @default the guard's
   */
  readonly rejection?: AdaptiveThrottle | undefined;
}

/** The options, checked, in milliseconds. */
export interface GuardSettings
  extends Settings<
    Omit<GuardOptions, "classify">,
    "rejection" | "limit" | "semaphore" | "pacer" | "throttle" | "alsoPause" | "acquireTimeout"
  > {
  readonly classify: Classifier;
}

/** What one call asks for, checked. */
export interface Want extends AcquireSettings {
  readonly cost: number;
  readonly rejection: AdaptiveThrottle | undefined;
  /** The call's own time, as it was given. `timeoutMs` may be the guard's. */
  readonly timeout: Duration | undefined;
}

const rejection = option.checked(checkRejection).optional;

/**
 * A part, known by what the others do not have: it may come from another copy of its package.
 * @param has what it has
 * @param lacks what another part has that looks the same
 */
function part<Part>(has: string, lacks: string | undefined, maker: string): option.Option<Part | undefined> {
  const check = (name: string, given: unknown): Part => {
    checkVersion(name, given);
    if (typeof given === "object" && given !== null && has in given && !(lacks !== undefined && lacks in given))
      return given as Part;
    throw invalidOption(name, given, madeBy(maker));
  };
  return option.checked(check).optional;
}

function madeBy(maker: string): string {
  return `give what ${maker} makes, or leave it out`;
}

const GUARD = {
  name: option.name.or("guard"),
  rejection,
  limit: part<ConcurrencyLimit>("inflight", undefined, "createConcurrencyLimit()"),
  semaphore: part<Semaphore>("cap", "acquireGrant", "createSemaphore(...)"),
  pacer: part<Pacer>("batches", "acquireGrant", "createPacer(...)"),
  throttle: part<Throttle>("acquireGrant", undefined, "createThrottle(...)"),
  alsoPause: option.checked(checkPausables).optional,
  maxPause: option.duration(1).or(60_000),
  refusalPause: option.duration(0).or(1_000),
  maxWaiters: option.integer(1).or(10_000),
  acquireTimeout: option.duration(1).optional,
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<GuardOptions>;

const CALL: ReadonlySet<string> = new Set<keyof GuardAcquireOptions>([...ACQUIRE_OPTIONS, "rejection"]);

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

/** @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION` */
export function checkGuardCall(cost: number, options: GuardAcquireOptions = {}, settings: GuardSettings): Want {
  const { timeoutMs = settings.acquireTimeoutMs, ...wait } = checkAcquireOptions(options, CALL);
  return {
    ...wait,
    timeoutMs,
    timeout: options.timeout,
    cost: checkCost(cost),
    rejection: rejection.check("rejection", options.rejection) ?? settings.rejection,
  };
}

/**
 * The same for the options of `run` and `wrap`.
 * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`
 */
export function checkGuardedCall(options: CallOptions, settings: GuardSettings): Want {
  const { cost = 1, classify, whenLimited: _, ...call } = options;
  checkClassifier(classify as Rule | undefined);
  return checkGuardCall(cost as number, call as GuardAcquireOptions, settings);
}

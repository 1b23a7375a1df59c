import {
  type DecidedCall,
  type DrainOptions,
  DtError,
  type ImmediateLimiter,
  type LimiterStatus,
  type Listener,
  type Run,
} from "@dt/core";
import {
  type CallOptions,
  type Calls,
  callsOf,
  Drain,
  describe,
  Events,
  markVersion,
  SKIPPED,
  Tally,
} from "@dt/core/internal";
import { checkNoCost } from "../cost.ts";
import { type Call, ReportedCall } from "../outcome/call.ts";
import type { Rule } from "../outcome/classify.ts";
import { checkClassifier } from "../outcome/default-classifier.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { type Classified, settling } from "../outcome/run.ts";
import {
  type AdaptiveThrottleOptions,
  type AdaptiveThrottleSettings,
  checkAdaptiveThrottle,
} from "./adaptive-throttle-options.ts";
import { type Counted, type Counts, ResettingCounts, SlidingCounts } from "./counts.ts";
import { probabilityOf } from "./rejection.ts";

/** The events of an adaptive throttle. Each is published as well: docs/events.md has the channels. */
export interface AdaptiveThrottleEvents {
  /**
   * A call of `run` was refused. Calls that were made, and answers of no to `tryAcquire`, are only counted:
   * `status().calls`.
   */
  readonly decided: DecidedCall;
  /** A call was not made. */
  readonly reject: { readonly probability: number };
  /** A call was made that chance would have refused: to see whether the callee is back. */
  readonly probe: { readonly probability: number };
}

/** An adaptive throttle at one instant, as data. */
export interface AdaptiveThrottleStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "adaptiveThrottle";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopped";
  /** The probability with which the next call is not made. */
  readonly probability: number;
  /** All that was counted, calls not made included. */
  readonly requests: number;
  /** Calls that the callee took and that succeeded. */
  readonly successes: number;
  /** Calls that failed for other reasons than overload. */
  readonly failures: number;
  /** Calls that the callee refused, or did not answer in time. */
  readonly overloads: number;
  /** Calls that were not made. */
  readonly rejects: number;
  /** Calls made whose end is not known yet. */
  readonly inflight: number;
}

/** What becomes of a call that an adaptive throttle refuses. */
type WhenRefused = "throw" | "skip";

type ThrottleCalls = Calls<Call, undefined, object, WhenRefused, Classified>;

const COUNTED_AS: Readonly<Record<Exclude<Outcome, "ignored">, Counted>> = {
  success: "successes",
  failure: "failures",
  overload: "overloads",
};

/**
 * Makes fewer calls the more of them the callee refuses, so that the callee is not kept busy with refusing. Each call
 * is refused here with a probability that follows from how the last calls ended. No call waits. Made by
 * {@link createAdaptiveThrottle}.
 */
export class AdaptiveThrottle implements ImmediateLimiter<Call | undefined, Call, undefined, object, WhenRefused> {
  static {
    markVersion(AdaptiveThrottle.prototype);
  }

  readonly name: string;
  readonly #settings: AdaptiveThrottleSettings;
  readonly #recent: Counts;
  readonly #long: Counts | undefined;
  readonly #events: Events<AdaptiveThrottleEvents>;
  readonly #tally: Tally;
  readonly #drain: Drain;
  readonly #calls: ThrottleCalls;
  #state: AdaptiveThrottleStatus["state"] = "running";
  #inflight = 0;
  /** Calls not made since the last one that was. */
  #rejectsInARow = 0;

  /** Use {@link createAdaptiveThrottle}. */
  constructor(settings: AdaptiveThrottleSettings) {
    const { name, resetMs, windowMs, longWindowMs, runtime, classify } = settings;
    this.name = name;
    this.#settings = settings;
    this.#recent = resetMs === undefined ? new SlidingCounts(windowMs) : new ResettingCounts(resetMs, runtime.now());
    if (resetMs === undefined) this.#long = new SlidingCounts(longWindowMs);
    const names = { decided: true, reject: true, probe: true } as const;
    this.#events = new Events<AdaptiveThrottleEvents>("adaptiveThrottle", names, { name });
    this.#tally = new Tally(this.#events.topic("decided"));
    this.#drain = new Drain(runtime, () => (this.#state === "stopped" ? 0 : this.#inflight));
    this.#calls = callsOf({
      options: [],
      fixed: ["classify"],
      whenLimited: ["throw", "skip"],
      check: checkCallOptions,
      begin: () => this.#drain.begin(),
      admit: async (options, whenLimited) => this.#decide(options, whenLimited as WhenRefused),
      make: settling(classify),
    });
    this.run = this.#calls.run;
    this.wrap = this.#calls.wrap;
  }

  /**
   * Answers at once whether one call may be made. The call is then to be reported: `call.success()`, `call.overload()`.
   * @param cost left out: a call costs nothing here
   * @returns the call, or undefined when it is not to be made
   * @throws DtError `DT_STOPPED`
   * @example const call = throttle.tryAcquire()
   */
  tryAcquire(cost?: undefined): Call | undefined {
    checkNoCost(cost);
    this.#assertRunning();
    const call = this.#admit(this.#probability());
    if (call === undefined) this.#tally.answeredNo();
    return call;
  }

  /**
   * Makes one call, or refuses it: with `DT_LIMITED`, or with undefined where `whenLimited` is `"skip"`.
   * @param call the function to be called, with the right
   * @param options `whenLimited`, and `classify` for how the call ended
   * @throws DtError `DT_LIMITED` with the probability, `DT_STOPPED`, `DT_INVALID_OPTION`
   * @example const answer = await throttle.run(() => fetch(url))
   */
  readonly run: Run<Call, undefined, Classified, WhenRefused>;

  /**
   * Turns a function into one each of whose calls is made or refused, as `run` does it.
   * @param fn the function, or the method that is decorated
   * @param options `whenLimited`, and `classify` for how the calls ended
   * @throws DtError `DT_INVALID_OPTION`; each call rejects with `DT_LIMITED` where it is refused
   * @example const get = throttle.wrap((url: string) => fetch(url))
   */
  readonly wrap: ThrottleCalls["wrap"];

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param event `"reject"` or `"probe"`
   * @param listener the function that receives the event's data
   * @returns the function that ends it
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example throttle.on("reject", ({ probability }) => console.log(probability))
   */
  on<E extends keyof AdaptiveThrottleEvents>(event: E, listener: Listener<AdaptiveThrottleEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /** The throttle at this instant, as data. */
  status(): AdaptiveThrottleStatus {
    const probability = this.#probability();
    const { outcomes, total } = this.#counts;
    return {
      ...{ kind: "adaptiveThrottle", state: this.#state, name: this.name, waiting: 0, maxWaiters: undefined },
      ...{ limiting: this.#tally.isLimiting(this.#settings.runtime.now()), calls: this.#tally.counts() },
      ...{ probability, requests: total, ...outcomes, inflight: this.#inflight },
    };
  }

  /**
   * Ends in order: refuses new calls, and waits until those that were made have been reported.
   * @param options `timeout`: the most time that this takes
   * @returns true when all of it was done, false when time was up or `stop` was called meanwhile
   * @throws DtError `DT_INVALID_OPTION`
   * @example await throttle.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#drain.end(options, {
      refuse: () => {
        if (this.#state === "running") this.#state = "draining";
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
    });
  }

  /** Ends at once: every further call is refused with `DT_STOPPED`. Never rejects. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#drain.look();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #decide(options: CallOptions, whenLimited: WhenRefused): Call | typeof SKIPPED {
    // An option may be a function of the arguments that gives what nothing was known of before.
    checkCallOptions(options);
    this.#assertRunning();
    const probability = this.#probability();
    const call = this.#admit(probability);
    if (call !== undefined) return call;
    this.#tally.decided("refused", 0, 1, 0);
    if (whenLimited === "skip") return SKIPPED;
    throw refusedError(probability);
  }

  #assertRunning(): void {
    if (this.#state === "running") return;
    const what = this.#state === "draining" ? "is being drained" : "was stopped";
    throw new DtError("DT_STOPPED", `the adaptive throttle ${describe(this.name)} ${what}; create a new one`);
  }

  /** The counts that decide: the recent ones where they are enough. */
  get #counts(): Counts {
    const { minRequests } = this.#settings;
    return this.#long !== undefined && this.#recent.total < minRequests ? this.#long : this.#recent;
  }

  #probability(): number {
    const { runtime, minRequests, k } = this.#settings;
    const nowMs = runtime.now();
    this.#recent.advance(nowMs);
    this.#long?.advance(nowMs);
    const { outcomes, total } = this.#counts;
    return total < minRequests ? 0 : probabilityOf(outcomes, k);
  }

  #admit(probability: number): Call | undefined {
    const { runtime, probeEvery } = this.#settings;
    if (probability > 0 && runtime.random() < probability) {
      this.#rejectsInARow += 1;
      if (this.#rejectsInARow < probeEvery) {
        this.#count("rejects");
        this.#tally.limited(runtime.now());
        if (this.#events.has("reject")) this.#events.emit("reject", { probability });
        return undefined;
      }
      if (this.#events.has("probe")) this.#events.emit("probe", { probability });
    }
    this.#rejectsInARow = 0;
    this.#inflight += 1;
    this.#tally.granted += 1;
    // A refusal comes soon, an answer may take a minute: a call that is not refused counts as taken from its beginning.
    this.#count("successes");
    return new ReportedCall((outcome) => this.#settled(outcome));
  }

  #settled(outcome: Outcome): void {
    this.#inflight -= 1;
    this.#drain.look();
    if (outcome === "success") return;
    const nowMs = this.#settings.runtime.now();
    this.#recent.advance(nowMs);
    this.#long?.advance(nowMs);
    this.#count("successes", -1);
    if (outcome !== "ignored") this.#count(COUNTED_AS[outcome]);
  }

  #count(kind: Counted, by?: 1 | -1): void {
    this.#recent.add(kind, by);
    this.#long?.add(kind, by);
  }
}

function checkCallOptions(options: CallOptions): void {
  const { cost, classify } = options;
  checkNoCost(cost);
  checkClassifier(classify as Rule | undefined);
}

/** The error of a call that was not made, with the probability: `Throttled by Client` is the Beam design's text. */
export function refusedError(probability: number): DtError {
  return new DtError("DT_LIMITED", `Throttled by Client. Request rejection probability: ${probability}`);
}

/**
 * True for an adaptive throttle, of this copy of the package or of another: the one limiter that never waits.
 * @param value any value
 * @example if (isAdaptiveThrottle(part)) part.status();
 */
export function isAdaptiveThrottle(value: unknown): value is AdaptiveThrottle {
  if (typeof value !== "object" || value === null) return false;
  const { tryAcquire, status, acquire } = value as Record<string, unknown>;
  return typeof tryAcquire === "function" && typeof status === "function" && acquire === undefined;
}

/**
 * Creates a throttle that makes fewer calls the more of them the callee refuses. It needs no start.
 * @param options how many refusals it takes
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const throttle = createAdaptiveThrottle({ name: "search" })
 */
export function createAdaptiveThrottle(options: AdaptiveThrottleOptions = {}): AdaptiveThrottle {
  return new AdaptiveThrottle(checkAdaptiveThrottle(options));
}

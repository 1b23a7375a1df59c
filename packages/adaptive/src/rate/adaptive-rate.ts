import type { AcquireOptions, DrainOptions, Duration, Limiter, Listener, PauseEnd, Run, Timer } from "@dt/core";
import {
  ACQUIRE_OPTIONS,
  admitBy,
  type CallOptions,
  type Calls,
  callsOf,
  checkAcquireOptions,
  checkDuration,
  Drain,
  Events,
  markVersion,
  pauseMsOf,
  SKIPPED,
  Tally,
} from "@dt/core/internal";
import { checkWholeCost } from "../cost.ts";
import { LearnedValue } from "../learned/learned-value.ts";
import { type Call, ReportedCall } from "../outcome/call.ts";
import type { Rule } from "../outcome/classify.ts";
import { checkClassifier } from "../outcome/default-classifier.ts";
import { type Classified, classifierFor, runCall } from "../outcome/run.ts";
import { isPausable, pauseAll } from "../pausable.ts";
import { type AdaptiveRateOptions, type AdaptiveRateSettings, checkAdaptiveRate } from "./adaptive-rate-options.ts";
import type { AdaptiveRateEvents, AdaptiveRateStatus } from "./adaptive-rate-status.ts";
import { BucketGate, limitedError, timeoutError } from "./bucket-gate.ts";
import { type RateGate, stoppedError } from "./gate.ts";
import { Learning } from "./learning.ts";
import { ThrottleGate } from "./throttle-gate.ts";

type RateCalls = Calls<Call, number, AcquireOptions, "wait" | "throw" | "skip", Classified>;

/**
 * A rate that follows from what the callee refuses: unlimited until the first refusal, then lower, then growing. Made
 * by {@link createAdaptiveRate}.
 */
export class AdaptiveRate implements Limiter<Call | undefined, Call> {
  static {
    markVersion(AdaptiveRate.prototype);
  }

  readonly name: string;
  readonly #settings: AdaptiveRateSettings;
  readonly #gate: RateGate;
  readonly #learning: Learning;
  readonly #learned: LearnedValue | undefined;
  readonly #events: Events<AdaptiveRateEvents>;
  readonly #tally: Tally;
  readonly #drain: Drain;
  #state: AdaptiveRateStatus["state"] = "running";
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #resume: Timer | undefined;
  #waiting = 0;
  #inflight = 0;

  /** Use {@link createAdaptiveRate}. */
  constructor(settings: AdaptiveRateSettings) {
    const { name, throttle, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#gate = throttle === undefined ? new BucketGate(settings) : new ThrottleGate(throttle);
    const names = { lowered: true, decided: true, paused: true } as const;
    this.#events = new Events<AdaptiveRateEvents>("adaptiveRate", names, { name });
    this.#tally = new Tally(this.#events.topic("decided"));
    this.#learning = new Learning(settings, this.#gate, (before) => this.#changed(before));
    this.#learned =
      settings.learned &&
      new LearnedValue(settings.learned, name, {
        ...{ number: "rate", runtime },
        value: () => this.#learning.rate,
        startFrom: (rate) => this.#startFrom(rate),
      });
    this.#drain = new Drain(runtime, () => (this.#state === "stopped" ? 0 : this.#waiting + this.#inflight));
    const { run, wrap } = this.#entrance();
    this.run = run;
    this.wrap = wrap;
  }

  /**
   * Answers at once: a call that may be made now, or undefined. The call is then to be reported: `call.success()`,
   * `call.overload()`.
   * @param cost for how many calls it counts: a whole number of at least 1
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`; with a throttle what its `tryAcquire` throws
   * @example const call = rate.tryAcquire()
   */
  tryAcquire(cost = 1): Call | undefined {
    checkWholeCost(cost);
    this.#assertRunning();
    const call = this.#pass(cost);
    if (call === undefined) this.#tally.answeredNo();
    return call;
  }

  /**
   * Waits until a call may be made. The call is then to be reported: `call.success()`, `call.overload()`.
   * @param cost for how many calls it counts: a whole number of at least 1
   * @param options `signal`, `timeout`, `priority`
   * @throws DtError `DT_TIMEOUT`, `DT_QUEUE_FULL`, `DT_STOPPED`, `DT_INVALID_COST`, `DT_INVALID_OPTION`; with a
   *   throttle what its `acquire` rejects with; the signal's reason
   * @example using call = await rate.acquire(1, { timeout: "2s" })
   */
  async acquire(cost = 1, options?: AcquireOptions): Promise<Call> {
    const { signal, timeoutMs, priority } = checkAcquireOptions(options);
    checkWholeCost(cost);
    if (signal?.aborted) throw signal.reason;
    // A caller that does not pass at once is held back.
    this.#assertRunning();
    const call = this.#pass(cost);
    if (call !== undefined) return call;
    if (timeoutMs === 0) {
      this.#tally.decided("timedOut", 0, cost, priority);
      throw timeoutError(this.name, 0, this.#dueInMs(cost));
    }
    const { runtime } = this.#settings;
    const sinceMs = runtime.now();
    this.#waiting += 1;
    try {
      await this.#gate.wait({ cost, timeoutMs, signal, priority });
      this.#noteLimited();
      this.#tally.decided("granted", runtime.now() - sinceMs, cost, priority);
      return this.#begin(cost);
    } catch (error) {
      this.#noteLimited();
      this.#tally.failed(error, signal, runtime.now() - sinceMs, cost, priority);
      throw error;
    } finally {
      this.#waiting -= 1;
      this.#drain.look();
    }
  }

  /**
   * Makes one call as soon as it may be made, and reports how it ended. A callee that asks for a pause (`Retry-After`)
   * gets it, for `maxPause` at most.
   * @param call the function to be called, with the right
   * @param options `cost`, `signal`, `timeout`, `priority`, `whenLimited`, `classify`
   * @throws DtError what `acquire` rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const answer = await rate.run(() => fetch(url), { timeout: "2s" })
   */
  readonly run: Run<Call, number, AcquireOptions & Classified>;

  /**
   * Turns a function into one each of whose calls is made as `run` makes it.
   * @param fn the function, or the method that is decorated
   * @param options those of `run`, as values or as functions of the call's arguments
   * @throws DtError `DT_INVALID_OPTION`; each call rejects as `run` does
   * @example const get = rate.wrap((url: string) => fetch(url))
   */
  readonly wrap: RateCalls["wrap"];

  /**
   * Lets nothing pass for so long, and `maxPause` at most. A pause that lasts longer already stays as it is.
   * @param duration milliseconds, or text such as `"5s"`
   * @throws DtError `DT_INVALID_OPTION`
   * @example rate.pause("5s")
   */
  pause(duration: Duration): void {
    const { runtime, maxPauseMs } = this.#settings;
    const forMs = Math.min(checkDuration("pause", duration, 0), maxPauseMs);
    const untilMs = runtime.now() + forMs;
    if (this.#state === "stopped" || untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    this.#resume?.cancel();
    this.#resume = runtime.setTimer(() => this.#apply(), forMs, { keepAlive: false });
    this.#apply();
    if (this.#events.has("paused")) this.#events.emit("paused", { forMs });
  }

  /**
   * Pauses this rate as {@link AdaptiveRate.pause} does, and its throttle in the whole fleet.
   * @param until a `Date`, milliseconds since 1970, a `Retry-After` field, or a duration such as `"30s"`
   * @throws DtError `DT_INVALID_OPTION`
   * @example rate.pauseUntil(response.headers.get("retry-after") ?? "5s")
   */
  pauseUntil(until: PauseEnd): void {
    const { runtime, maxPauseMs, throttle } = this.#settings;
    const forMs = Math.min(pauseMsOf(until, runtime), maxPauseMs);
    this.pause(forMs);
    if (this.#state !== "stopped" && forMs > 0 && isPausable(throttle)) pauseAll([throttle], forMs);
  }

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param event `"lowered"` or `"paused"`
   * @param listener the function that receives the event's data
   * @returns the function that ends it
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example rate.on("lowered", ({ before, rate }) => console.log(before, rate))
   */
  on<E extends keyof AdaptiveRateEvents>(event: E, listener: Listener<AdaptiveRateEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /** The rate at this instant, as data. */
  status(): AdaptiveRateStatus {
    this.#learning.look();
    const { rate, sent, taken } = this.#learning;
    return {
      kind: "adaptiveRate",
      state: this.#state,
      name: this.name,
      rate,
      sent: sent.rate,
      taken: taken.rate,
      pausedForMs: this.#pausedForMs,
      waiting: this.#waiting,
      maxWaiters: this.#gate.maxWaiters,
      limiting: (this.#waiting > 0 && this.#gate.isLimiting) || this.#tally.isLimiting(this.#settings.runtime.now()),
      calls: this.#tally.counts(),
      inflight: this.#inflight,
    };
  }

  /**
   * Ends in order: refuses new callers, serves those that wait, waits until calls have been reported, and stops.
   * @param options `timeout`: the most time that this takes
   * @returns true when all of it was done, false when time was up or `stop` was called meanwhile
   * @throws DtError `DT_INVALID_OPTION`
   * @example await rate.drain({ timeout: "10s" })
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

  /**
   * Ends at once: refuses the callers that wait and every new one with `DT_STOPPED`. A throttle goes on without the
   * cap. Then the rate is written to the store, with the option `learned`. Never rejects.
   */
  async stop(): Promise<void> {
    if (this.#state === "stopped") return;
    this.#state = "stopped";
    this.#resume?.cancel();
    this.#gate.stop(stoppedError(this.name, "stopped"));
    this.#drain.look();
    await this.#learned?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #entrance(): RateCalls {
    const { classify: ofRate } = this.#settings;
    return callsOf({
      options: ACQUIRE_OPTIONS,
      fixed: ["classify"],
      whenLimited: ["wait", "throw", "skip"],
      check: ({ cost, classify, whenLimited: _, ...wait }) => {
        if (cost !== undefined) checkWholeCost(cost);
        checkClassifier(classify as Rule | undefined);
        checkAcquireOptions(wait as AcquireOptions);
      },
      begin: () => this.#drain.begin(),
      admit: (options, whenLimited) => {
        const { cost, classify: _, whenLimited: __, ...wait } = options as CallOptions & AcquireOptions;
        const calls = cost as number | undefined;
        return admitBy<Call>(whenLimited, wait.timeout, {
          wait: () => this.acquire(calls, wait),
          now: () => this.#now(calls, wait),
          limited: () => limitedError(this.name, this.#dueInMs(calls ?? 1)),
        });
      },
      make: (call, make, options) =>
        runCall(
          ({ outcome, retryAfterMs = 0 }) => {
            call.settle(outcome);
            if (outcome === "overload" && retryAfterMs > 0) this.pause(retryAfterMs);
          },
          classifierFor(options, ofRate),
          () => make(call),
        ),
    });
  }

  async #now(cost = 1, wait: AcquireOptions): Promise<Call | typeof SKIPPED> {
    const { signal, timeoutMs, priority } = checkAcquireOptions(wait);
    checkWholeCost(cost);
    if (signal?.aborted) throw signal.reason;
    this.#assertRunning();
    this.#learned?.look();
    const { runtime } = this.#settings;
    const sinceMs = runtime.now();
    try {
      if (await this.#gate.passOnceStarted({ cost, timeoutMs, signal, priority })) {
        this.#tally.granted += 1;
        return this.#begin(cost);
      }
    } catch (error) {
      this.#tally.failed(error, signal, runtime.now() - sinceMs, cost, priority);
      throw error;
    }
    this.#heldBack();
    this.#tally.decided("refused", 0, cost, priority);
    return SKIPPED;
  }

  /** A call that passes at once; another one is held back. */
  #pass(cost: number): Call | undefined {
    this.#learned?.look();
    if (this.#gate.pass(cost)) {
      this.#tally.granted += 1;
      return this.#begin(cost);
    }
    this.#heldBack();
    return undefined;
  }

  #heldBack(): void {
    this.#learning.heldBack();
    this.#noteLimited();
  }

  #noteLimited(): void {
    if (this.#gate.isLimiting) this.#tally.limited(this.#settings.runtime.now());
  }

  #begin(cost: number): Call {
    const startedMs = this.#learning.begun(cost);
    this.#inflight += 1;
    return new ReportedCall((outcome) => {
      this.#inflight -= 1;
      if (this.#state === "stopped") return;
      this.#learning.ended(outcome, cost, startedMs);
      this.#drain.look();
    });
  }

  get #pausedForMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#settings.runtime.now());
  }

  #dueInMs(cost: number): number | undefined {
    return this.#pausedForMs > 0 ? this.#pausedForMs : this.#gate.dueInMs(cost);
  }

  #changed(before: number): void {
    this.#apply();
    const { rate } = this.#learning;
    if (rate < before && this.#events.has("lowered")) this.#events.emit("lowered", { rate, before });
  }

  #startFrom(rate: number): boolean {
    const isStart = this.#learning.startFrom(rate);
    if (isStart) this.#apply();
    return isStart;
  }

  #apply(): void {
    if (this.#state !== "stopped") this.#gate.set(this.#pausedForMs > 0 ? 0 : this.#learning.rate);
  }

  #assertRunning(): void {
    if (this.#state !== "running") throw stoppedError(this.name, this.#state);
  }
}

/**
 * Creates a rate that is learned from what the callee refuses. It needs no start; with a throttle its first call starts
 * the throttle.
 * @param options how the rate is lowered and raised, and the throttle that shares it
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const rate = createAdaptiveRate({ name: "search" })
 */
export function createAdaptiveRate(options: AdaptiveRateOptions = {}): AdaptiveRate {
  return new AdaptiveRate(checkAdaptiveRate(options));
}

import type { Duration, Listener, Timer, WithoutTimeout } from "@dt/core";
import {
  type AnyMethod,
  checkCall,
  checkDuration,
  checkKeys,
  checkSignal,
  Events,
  markVersion,
  type Wrapped,
} from "@dt/core/internal";
import { type Call, ReportedCall } from "../outcome/call.ts";
import type { Verdict } from "../outcome/classify.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { runCall } from "../outcome/run.ts";
import { type AdaptiveRateOptions, type AdaptiveRateSettings, checkAdaptiveRate } from "./adaptive-rate-options.ts";
import { BucketGate } from "./bucket-gate.ts";
import type { RateGate } from "./gate.ts";
import { type LearnedRate, lowered, type Measured, raised, UNLIMITED } from "./learned-rate.ts";
import { MeasuredRate } from "./measured-rate.ts";
import { ThrottleGate } from "./throttle-gate.ts";

/** What happens at an adaptive rate. Each is published as well, as docs/events.md says. */
export interface AdaptiveRateEvents {
  /**
   * The callee refused a call, and the rate is lower from now on: in calls a second, of all processes that share it.
   * `Infinity` before the first refusal.
   */
  readonly lowered: { readonly rate: number; readonly before: number };
  /** Nothing goes out for so long, since the callee asked for it, or `pause` was called. */
  readonly paused: { readonly forMs: number };
}

/** An adaptive rate at one instant, as data. */
export interface AdaptiveRateStatus {
  readonly name: string;
  /** Calls a second, of all processes that share the rate; `Infinity` while nothing was refused. */
  readonly rate: number;
  /** What this process sent lately, in calls a second, and what of it the callee took. */
  readonly sent: number;
  readonly taken: number;
  /** How much longer nothing goes out, in milliseconds. */
  readonly pausedForMs: number;
  readonly waiting: number;
}

/** How a caller waits for its turn. */
export interface RateOptions {
  /** After this time without a turn, `acquire` resolves to undefined. 0 means: do not wait at all. */
  readonly timeout?: Duration | undefined;
  /** Aborting it rejects the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const RATE_OPTIONS: ReadonlySet<string> = new Set<keyof RateOptions>(["timeout", "signal"]);

/** A rate is raised in steps that are so far apart, not with every success. */
const STEP_MS = 100;

/** Fewer calls than so many in a bucket say too little of how many the callee takes. */
const ENOUGH = 10;

/** Calls count as held back for so many seconds, or intervals of a throttle, after one was. */
const LIMITED_FOR = 2;

/**
 * A rate that follows from what the callee refuses: unlimited until the first refusal, then lower, then growing. Made
 * by {@link createAdaptiveRate}.
 */
export class AdaptiveRate {
  static {
    markVersion(AdaptiveRate.prototype);
  }

  readonly name: string;
  readonly #settings: AdaptiveRateSettings;
  readonly #gate: RateGate;
  readonly #events: Events<AdaptiveRateEvents>;
  readonly #sent: MeasuredRate;
  readonly #taken: MeasuredRate;
  #learned: LearnedRate = UNLIMITED;
  #limitedMs = Number.NEGATIVE_INFINITY;
  #raisedMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #resume: Timer | undefined;
  #stopped = false;

  /** Use {@link createAdaptiveRate}. */
  constructor(settings: AdaptiveRateSettings) {
    const { name, throttle, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#gate = throttle === undefined ? new BucketGate(settings) : new ThrottleGate(throttle, name);
    this.#events = new Events<AdaptiveRateEvents>("adaptiveRate", { lowered: true, paused: true }, { name });
    this.#sent = new MeasuredRate(runtime.now(), this.#gate.bunchMs);
    this.#taken = new MeasuredRate(runtime.now(), this.#gate.bunchMs);
  }

  /**
   * A call that may be made now, to be told how it ended; or undefined when it may not. Synchronous. With a throttle it
   * throws what `throttle.tryAcquire` does.
   */
  tryAcquire(): Call | undefined {
    if (this.#gate.pass()) return this.#begin();
    this.#limitedMs = this.#settings.runtime.now();
    return undefined;
  }

  /**
   * Waits until a call may be made. Resolves to the call, to be told how it ended; or to undefined when its own
   * `timeout` passed first. Rejects with the signal's reason, with `DT_STOPPED`, `DT_QUEUE_FULL` or
   * `DT_TIMEOUT`; with a throttle as `throttle.acquire` does.
   */
  acquire(options?: WithoutTimeout<RateOptions>): Promise<Call>;
  acquire(options: RateOptions): Promise<Call | undefined>;
  async acquire(options: RateOptions = {}): Promise<Call | undefined> {
    checkKeys("options", options, RATE_OPTIONS);
    const timeoutMs = options.timeout === undefined ? undefined : checkDuration("timeout", options.timeout, 0);
    const signal = checkSignal(options.signal);
    // Whoever does not pass at once is held back.
    const call = signal?.aborted ? undefined : this.tryAcquire();
    if (call !== undefined) return call;
    const passed = await this.#gate.wait({ timeoutMs, signal });
    return passed ? this.#begin() : undefined;
  }

  /**
   * Turns a function into one whose calls wait for their turn; they reject as {@link acquire} does, and the function is
   * then not called. `classify` says how they ended. A callee that asks to be left alone (`Retry-After`) is, for
   * `maxPause` at most.
   * @throws DtError `DT_INVALID_OPTION` when it is not a function
   */
  wrap<F extends AnyMethod>(fn: F): Wrapped<F> {
    checkCall("wrap", fn);
    const rate = this;
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      const call = await rate.acquire();
      const settle = ({ outcome, retryAfterMs = 0 }: Verdict): void => {
        call.settle(outcome);
        if (outcome === "overload" && retryAfterMs > 0) rate.pause(retryAfterMs);
      };
      return runCall(settle, rate.#settings.classify, () => fn.apply(this, args));
    }
    Object.defineProperty(wrapped, "name", { value: fn.name, configurable: true });
    return wrapped as Wrapped<F>;
  }

  /**
   * Lets nothing go out for so long, and `maxPause` at most; a pause that lasts longer already stays as it is.
   * @throws DtError `DT_INVALID_OPTION`
   */
  pause(duration: Duration): void {
    const { runtime, maxPauseMs } = this.#settings;
    const forMs = Math.min(checkDuration("pause", duration, 0), maxPauseMs);
    const untilMs = runtime.now() + forMs;
    if (this.#stopped || untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    this.#resume?.cancel();
    this.#resume = runtime.setTimer(() => this.#apply(), forMs, { keepAlive: false });
    this.#apply();
    if (this.#events.has("paused")) this.#events.emit("paused", { forMs });
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends keyof AdaptiveRateEvents>(name: E, listener: Listener<AdaptiveRateEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data. */
  status(): AdaptiveRateStatus {
    const nowMs = this.#settings.runtime.now();
    this.#sent.add(nowMs, 0);
    this.#taken.add(nowMs, 0);
    return {
      name: this.name,
      rate: this.#learned.rate,
      sent: this.#sent.rate,
      taken: this.#taken.rate,
      pausedForMs: Math.max(0, this.#pausedUntilMs - nowMs),
      waiting: this.#gate.waiting,
    };
  }

  /**
   * Ends it: nothing passes any more, and those who wait are refused (`DT_STOPPED`). A throttle goes on without the
   * cap, and those who wait already get their tokens from it. Idempotent.
   */
  stop(): void {
    this.#stopped = true;
    this.#resume?.cancel();
    this.#gate.stop();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #begin(): Call {
    const startedMs = this.#settings.runtime.now();
    this.#sent.add(startedMs);
    // A refusal comes soon, an answer may take a minute: a call that is not refused counts as taken from its beginning.
    this.#taken.add(startedMs);
    return new ReportedCall((outcome) => this.#settled(outcome, startedMs));
  }

  #settled(outcome: Outcome, startedMs: number): void {
    if (this.#stopped) return;
    const nowMs = this.#settings.runtime.now();
    if (outcome === "overload" || outcome === "ignored") this.#taken.add(nowMs, -1);
    if (outcome === "ignored") return;
    // A refusal of a call that went out before the rate was lowered is one that led to it.
    if (outcome !== "overload") this.#raise(nowMs);
    else if (startedMs >= this.#learned.loweredMs) this.#lower(nowMs);
  }

  #lower(nowMs: number): void {
    const { beta, min } = this.#settings;
    const before = this.#learned.rate;
    const tried = before < Number.POSITIVE_INFINITY ? this.#learned : { ...UNLIMITED, rate: this.#gate.unset };
    const learned = lowered(tried, this.#measured(nowMs), nowMs, beta);
    this.#learned = learned.rate < min ? { ...learned, rate: min, highest: min / beta } : learned;
    this.#raisedMs = nowMs;
    this.#apply();
    if (this.#events.has("lowered")) this.#events.emit("lowered", { rate: this.#learned.rate, before });
  }

  #raise(nowMs: number): void {
    if (nowMs < this.#raisedMs + STEP_MS) return;
    this.#raisedMs = nowMs;
    const { beta, growth } = this.#settings;
    const learned = raised(this.#learned, this.#measured(nowMs), nowMs, beta, growth);
    if (learned === this.#learned) return;
    this.#learned = learned;
    this.#apply();
  }

  /** What all members together send, if they do as this one does. */
  #measured(nowMs: number): Measured {
    const { members } = this.#gate;
    this.#sent.add(nowMs, 0);
    this.#taken.add(nowMs, 0);
    const enough = this.#sent.newest >= ENOUGH;
    return {
      sent: this.#sent.estimate * members,
      taken: enough ? this.#taken.rate * members : undefined,
      limited: nowMs - this.#limitedMs <= LIMITED_FOR * Math.max(1_000, this.#gate.bunchMs),
    };
  }

  #apply(): void {
    if (this.#stopped) return;
    const paused = this.#settings.runtime.now() < this.#pausedUntilMs;
    this.#gate.set(paused ? 0 : this.#learned.rate);
  }
}

/**
 * Creates a rate that is learned from what the callee refuses. It needs no start; `stop` refuses those who wait.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createAdaptiveRate(options: AdaptiveRateOptions = {}): AdaptiveRate {
  return new AdaptiveRate(checkAdaptiveRate(options));
}

import type { DrainOptions, Duration, Listener, WithoutTimeout } from "@dt/core";
import { DtError } from "@dt/core";
import {
  type AnyMethod,
  checkCall,
  checkDuration,
  Drain,
  describe,
  Events,
  markVersion,
  orUndefined,
  type Wrapped,
  whenAborted,
} from "@dt/core/internal";
import type { Slot } from "../limit/slot.ts";
import type { Call } from "../outcome/call.ts";
import type { Verdict } from "../outcome/classify.ts";
import { type AdaptiveThrottle, refusedError } from "../throttle/adaptive-throttle.ts";
import {
  checkEnter,
  checkGuard,
  checkGuarded,
  type EnterOptions,
  type GuardedOptions,
  type GuardOptions,
  type GuardSettings,
  type Want,
} from "./guard-options.ts";
import type { GuardEvents, GuardStatus } from "./guard-status.ts";
import { Passage, type PassageHome, settleBy } from "./passage.ts";
import { Pause } from "./pause.ts";
import { type Tokens, tokensOf } from "./tokens.ts";
import { Untold } from "./untold.ts";

/** The reason for which those who wait are called back when a pause begins. */
const PAUSED = Symbol("paused");

/**
 * One door before a callee, with whatever holds calls back: everybody who goes through it stops when the callee says
 * so. Made by {@link createGuard}.
 */
export class Guard {
  static {
    markVersion(Guard.prototype);
  }

  readonly name: string;
  readonly #settings: GuardSettings;
  readonly #pause: Pause;
  readonly #untold: Untold;
  readonly #tokens: readonly Tokens[];
  readonly #events: Events<GuardEvents>;
  readonly #drain: Drain;
  /** Calls back those who wait for a slot, a permit or tokens, in the order in which they came. */
  readonly #underWay = new Set<AbortController>();
  readonly #home: PassageHome = {
    heard: (verdict, wentOutMs) => this.#pauseFor(this.#waitFor(verdict, wentOutMs)),
    left: () => {
      this.#inflight -= 1;
      this.#drain.look();
    },
  };
  #state: GuardStatus["state"] = "running";
  #waiting = 0;
  #inflight = 0;
  #entered = 0;

  /** Use {@link createGuard}. */
  constructor(settings: GuardSettings) {
    const { name, runtime, pacer, throttle } = settings;
    this.name = name;
    this.#settings = settings;
    this.#pause = new Pause(settings);
    this.#untold = new Untold(runtime, settings.refusalPauseMs);
    this.#tokens = tokensOf(pacer, throttle);
    this.#events = new Events<GuardEvents>("guard", { paused: true }, { name });
    this.#drain = new Drain(runtime, () => (this.#state === "stopped" ? 0 : this.#waiting + this.#inflight));
  }

  /**
   * Waits until a call may be made: for the end of a pause, then for a slot of the limit, a permit of the pacer and the
   * tokens of the throttle, in this order; after the pause the rejection is asked. Resolves to a passage, which is to
   * be settled; or to undefined when the call's own `timeout` passed first. Rejects with the signal's reason, and with
   * a DtError: `DT_LIMITED` with its probability when the call is probably refused, `DT_INVALID_OPTION`,
   * `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_TIMEOUT`, or what the parts reject with. What a call that does not go
   * through has taken is given back.
   */
  enter(options?: WithoutTimeout<EnterOptions>): Promise<Passage>;
  enter(options: EnterOptions): Promise<Passage | undefined>;
  async enter(options: EnterOptions = {}): Promise<Passage | undefined> {
    const want = checkEnter(options, this.#settings);
    return this.#enter(want, this.#deadlineOf(want));
  }

  /**
   * Makes one call: enters, calls, and says how it ended, by `classify`. Settles as the call does; rejects as
   * {@link enter} does, and resolves to undefined when `timeout` passed before the call was made.
   */
  run<Value>(call: () => Value, options?: WithoutTimeout<GuardedOptions>): Promise<Awaited<Value>>;
  run<Value>(call: () => Value, options: GuardedOptions): Promise<Awaited<Value> | undefined>;
  async run<Value>(call: () => Value, options: GuardedOptions = {}): Promise<Awaited<Value> | undefined> {
    checkCall("call", call);
    return this.#run(call, checkGuarded(options, this.#settings));
  }

  /**
   * Turns a function into one whose calls go through the guard, as those of {@link run} do, all with the same options.
   * @throws DtError `DT_INVALID_OPTION`
   */
  wrap<F extends AnyMethod>(fn: F, options?: WithoutTimeout<GuardedOptions>): Wrapped<F>;
  wrap<F extends AnyMethod>(fn: F, options: GuardedOptions): Wrapped<F, undefined>;
  wrap(fn: AnyMethod, options: GuardedOptions = {}): AnyMethod {
    checkCall("wrap", fn);
    const want = checkGuarded(options, this.#settings);
    const guard = this;
    function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      return guard.#run(() => fn.apply(this, args), want);
    }
    Object.defineProperty(wrapped, "name", { value: fn.name, configurable: true });
    return wrapped;
  }

  /**
   * Lets nothing go out for so long, and `maxPause` at most. A pause that lasts longer already stays as it is. Those
   * who wait for a slot or for tokens leave that queue without having taken anything, and join it again afterwards.
   * @throws DtError `DT_INVALID_OPTION`
   */
  pause(duration: Duration): void {
    this.#pauseFor(checkDuration("pause", duration, 0));
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends keyof GuardEvents>(name: E, listener: Listener<GuardEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data. */
  status(): GuardStatus {
    return {
      state: this.#state,
      name: this.name,
      pausedForMs: this.#pause.restMs,
      waiting: this.#waiting,
      inflight: this.#inflight,
      entered: this.#entered,
    };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those who wait, waits for the calls in flight, and then
   * stops as {@link stop} does, after `timeout` at the latest. Resolves to true when all of that was done, false when
   * time was up or `stop` was called meanwhile. May be called again: the first call counts. Rejects with a DtError
   * `DT_INVALID_OPTION`.
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
   * Refuses those who wait (`DT_STOPPED`) and lets nothing more through. Its parts go on: others may use them.
   * Idempotent.
   */
  stop(): void {
    if (this.#state === "stopped") return;
    this.#state = "stopped";
    const error = this.#stoppedError();
    this.#pause.stop(error);
    for (const controller of this.#underWay) controller.abort(error);
    this.#drain.look();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  async #run<Value>(call: () => Value, want: Want): Promise<Awaited<Value> | undefined> {
    const untilMs = this.#deadlineOf(want);
    let passage = await this.#enter(want, untilMs);
    // A pause may have begun since it was let through, and its caller may have given it up.
    while (passage && (this.#pause.restMs > 0 || want.signal?.aborted)) {
      passage[Symbol.dispose]();
      passage = await this.#enter(want, untilMs);
    }
    if (passage === undefined) return undefined;
    let value: Awaited<Value>;
    try {
      value = await call();
    } catch (error) {
      settleBy(want.classify, passage, { error });
      throw error;
    }
    settleBy(want.classify, passage, { value });
    return value;
  }

  /** When the call's own time is up. */
  #deadlineOf({ timeoutMs }: Want): number | undefined {
    return timeoutMs === undefined ? undefined : this.#settings.runtime.now() + timeoutMs;
  }

  async #enter(want: Want, untilMs: number | undefined): Promise<Passage | undefined> {
    const { signal } = want;
    const { runtime } = this.#settings;
    if (signal?.aborted) throw signal.reason;
    this.#assertState("running");
    const restMs = (): number | undefined => (untilMs === undefined ? undefined : Math.max(0, untilMs - runtime.now()));
    this.#waiting += 1;
    try {
      for (;;) {
        while (this.#pause.restMs > 0)
          if ((await this.#pause.end({ timeoutMs: restMs(), signal })) === undefined) return undefined;
        // One that is being drained serves those who came before.
        this.#assertState("running", "draining");
        const passage = await this.#passThrough(want, restMs);
        if (passage !== PAUSED) return passage;
      }
    } finally {
      this.#waiting -= 1;
      this.#drain.look();
    }
  }

  /** Through everything behind the pause; `PAUSED` when one began meanwhile. */
  async #passThrough(want: Want, restMs: () => number | undefined): Promise<Passage | undefined | typeof PAUSED> {
    const { cost, priority } = want;
    const { limit } = this.#settings;
    const call = want.rejection && admittedBy(want.rejection);
    // Where nothing is waited for, nobody has to be called back: that would cost more than all the rest.
    if (limit === undefined && this.#tokens.length === 0) return this.#open(cost, call, undefined);
    const controller = new AbortController();
    const { signal } = controller;
    const stopListening = want.signal && whenAborted(want.signal, () => controller.abort(want.signal?.reason));
    this.#underWay.add(controller);
    const taken: Tokens[] = [];
    let slot: Slot | undefined;
    let passage: Passage | undefined;
    try {
      if (limit) {
        const timeout = restMs();
        const held = this.#tokens.length > 0;
        slot = await orUndefined(limit.acquire(cost, { priority, timeout, signal, held }), timeout);
        if (slot === undefined) return undefined;
      }
      for (const tokens of this.#tokens) {
        if ((await tokens.take({ cost, timeout: restMs(), signal })) === undefined) return undefined;
        taken.push(tokens);
      }
      // Something may have come between the last answer and now.
      if (signal.aborted) throw signal.reason;
      slot?.begin();
      passage = this.#open(cost, call, slot);
      return passage;
    } catch (error) {
      if (error === PAUSED) return PAUSED;
      throw error;
    } finally {
      this.#underWay.delete(controller);
      stopListening?.();
      if (passage === undefined) {
        call?.ignored();
        slot?.ignored();
        for (const tokens of taken) tokens.unused(cost);
      }
    }
  }

  #open(cost: number, call: Call | undefined, slot: Slot | undefined): Passage {
    this.#inflight += 1;
    this.#entered += 1;
    return new Passage(this.#home, cost, this.#settings.runtime.now(), call, slot);
  }

  /** For how long the callee wants to be left alone: as it said, or as a refusal that says nothing wants. */
  #waitFor({ outcome, refused, retryAfterMs }: Verdict, wentOutMs: number | undefined): number {
    if (outcome === "success") this.#untold.succeeded();
    if (retryAfterMs !== undefined) return retryAfterMs;
    return outcome === "overload" && refused && wentOutMs !== undefined ? this.#untold.refused(wentOutMs) : 0;
  }

  #pauseFor(ms: number): number {
    if (this.#state === "stopped") return 0;
    const forMs = Math.min(ms, this.#settings.maxPauseMs);
    if (!this.#pause.lengthen(forMs)) return forMs;
    for (const controller of this.#underWay) controller.abort(PAUSED);
    if (this.#events.has("paused")) this.#events.emit("paused", { forMs });
    return forMs;
  }

  #assertState(...good: readonly GuardStatus["state"][]): void {
    if (!good.includes(this.#state)) throw this.#stoppedError();
  }

  #stoppedError(): DtError {
    const what = this.#state === "draining" ? "is being drained" : "was stopped";
    return new DtError("DT_STOPPED", `the guard ${describe(this.name)} ${what}; create a new one`);
  }
}

/** @throws DtError `DT_LIMITED` with the probability */
function admittedBy(rejection: AdaptiveThrottle): Call {
  const { probability } = rejection.status();
  const call = rejection.tryAcquire();
  if (call === undefined) throw refusedError(probability);
  return call;
}

/**
 * Creates a guard: one door before a callee, behind which any of a rejection, a concurrency limit, a pacer and a
 * throttle stand, and which is shut for everybody when the callee asks for a pause. It needs no start.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createGuard(options: GuardOptions = {}): Guard {
  return new Guard(checkGuard(options));
}

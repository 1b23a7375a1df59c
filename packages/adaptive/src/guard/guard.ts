import {
  type DrainOptions,
  type Duration,
  isDtError,
  type Limiter,
  type Listener,
  type PauseEnd,
  type Run,
} from "@dt/core";
import {
  admitBy,
  type CallOptions,
  type Calls,
  callsOf,
  checkDuration,
  Drain,
  Events,
  markVersion,
  SKIPPED,
  Tally,
} from "@dt/core/internal";
import { type Classified, classifierFor, runCall } from "../outcome/run.ts";
import { Door } from "./door.ts";
import { limitedError, stoppedError } from "./guard-errors.ts";
import {
  checkGuard,
  checkGuardCall,
  checkGuardedCall,
  type GuardAcquireOptions,
  type GuardOptions,
  type GuardSettings,
  type Want,
} from "./guard-options.ts";
import type { GuardEvents, GuardStatus } from "./guard-status.ts";
import type { Passage, PassageHome } from "./passage.ts";
import { Pause } from "./pause.ts";
import { Pausing } from "./pausing.ts";

type When = "wait" | "throw" | "skip";
/** How a call asks. */
interface Manner {
  /** False for a call that was let through before, and counted. */
  readonly isNew: boolean;
  /** True for `tryAcquire`, whose answers of no are only counted. */
  readonly onlyAsks?: boolean;
}

/** A shorter wait is none, in milliseconds: it takes so long to ask the parts. */
const LEAST_WAIT_MS = 1;

type GuardCalls = Calls<Passage, number, GuardAcquireOptions, When, Classified>;

/**
 * One door before a callee, with everything that holds calls back. All callers that go through it stop when the callee
 * asks for a pause. Made by {@link createGuard}.
 */
export class Guard implements Limiter<Promise<Passage | undefined>, Passage, number, GuardAcquireOptions> {
  static {
    markVersion(Guard.prototype);
  }

  readonly name: string;
  readonly #settings: GuardSettings;
  readonly #pause: Pause;
  readonly #pausing: Pausing;
  readonly #door: Door;
  readonly #events: Events<GuardEvents>;
  readonly #tally: Tally;
  readonly #drain: Drain;
  /** When calls that were let through and wait once more are out of time. */
  readonly #untilMs = new WeakMap<Passage, number>();
  readonly #home: PassageHome = {
    entered: () => {
      this.#inflight += 1;
    },
    received: (verdict, wentOutMs) => (this.#state === "stopped" ? 0 : this.#pausing.received(verdict, wentOutMs)),
    left: () => {
      this.#inflight -= 1;
      this.#drain.look();
    },
  };
  #state: GuardStatus["state"] = "running";
  #waiting = 0;
  #inflight = 0;

  /** Use {@link createGuard}. */
  constructor(settings: GuardSettings) {
    const { name, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#pause = new Pause(settings);
    this.#door = new Door(settings, this.#pause, this.#home);
    this.#events = new Events<GuardEvents>("guard", { decided: true, paused: true }, { name });
    this.#tally = new Tally(this.#events.topic("decided"));
    this.#pausing = new Pausing(settings, this.#pause, this.#events, () => this.#door.callBack());
    this.#drain = new Drain(runtime, () => (this.#state === "stopped" ? 0 : this.#waiting + this.#inflight));
    const { run, wrap } = this.#entrance();
    this.run = run;
    this.wrap = wrap;
  }

  /**
   * Asks whether a call may be made now, without waiting: no pause, free slots, a permit and tokens. Asks the pacer's
   * store. The passage is to be settled.
   * @param cost what the call weighs in the limit, and takes of the semaphore, the pacer and the throttle
   * @param options `priority`, `rejection`, `signal`
   * @returns the passage, or undefined where anything is missing
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_STOPPED`, or what the parts reject with
   * @example using passage = await guard.tryAcquire()
   */
  async tryAcquire(cost = 1, options?: Omit<GuardAcquireOptions, "timeout">): Promise<Passage | undefined> {
    const want = checkGuardCall(cost, options, this.#settings);
    try {
      return await this.#onItsWay(want, { isNew: true, onlyAsks: true }, () => this.#door.now(want, false));
    } catch (error) {
      if (isDtError(error, "DT_LIMITED")) return undefined;
      throw error;
    }
  }

  /**
   * Waits until a call may be made. It waits for the end of a pause, then for slots of the limit and the semaphore,
   * then for a permit of the pacer and tokens of the throttle. After the pause the rejection is asked. A slot of the
   * semaphore is given back while the next token is farther away than 100 ms. A call that does not go through gives
   * back all that it had taken. The passage is to be settled when the call has ended.
   * @param cost what the call weighs in the limit, and takes of the semaphore, the pacer and the throttle. A semaphore
   *   and a throttle take whole numbers only
   * @param options `signal`, `timeout`, `priority`, `rejection`
   * @throws DtError `DT_LIMITED` with the probability when the rejection refuses the call, `DT_TIMEOUT`,
   *   `DT_QUEUE_FULL`, `DT_STOPPED`, `DT_INVALID_COST`, `DT_INVALID_OPTION`, or what the parts reject with; the
   *   signal's reason
   * @example using passage = await guard.acquire(1, { timeout: "2s" })
   */
  async acquire(cost = 1, options?: GuardAcquireOptions): Promise<Passage> {
    const want = checkGuardCall(cost, options, this.#settings);
    return this.#wait(want, this.#deadlineOf(want));
  }

  /**
   * Makes one call once it is let through, and settles its passage by how the call ended.
   * @param call the function to be called, with the passage
   * @param options `cost`, `signal`, `timeout`, `priority`, `rejection`, `whenLimited`, `classify`
   * @throws DtError what `acquire` rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const answer = await guard.run(() => fetch(url), { timeout: "2s" })
   */
  readonly run: Run<Passage, number, GuardAcquireOptions & Classified>;

  /**
   * Turns a function into one each of whose calls goes through the guard, as `run` makes it.
   * @param fn the function, or the method that is decorated
   * @param options those of `run`, as values or as functions of the call's arguments
   * @throws DtError `DT_INVALID_OPTION`; each call rejects as `run` does
   * @example const get = guard.wrap((url: string) => fetch(url))
   */
  readonly wrap: GuardCalls["wrap"];

  /**
   * Lets no call through for so long, and `maxPause` at most. A pause that lasts longer already stays as it is. Calls
   * that wait for a slot or for tokens leave that queue without having taken anything, and join it again afterwards.
   * @param duration milliseconds, or text such as `"5s"`
   * @throws DtError `DT_INVALID_OPTION`
   * @example guard.pause("5s")
   */
  pause(duration: Duration): void {
    const forMs = checkDuration("pause", duration, 0);
    if (this.#state !== "stopped") this.#pausing.pauseFor(forMs);
  }

  /**
   * Pauses this guard as {@link Guard.pause} does, and in the whole fleet its parts that have `pauseUntil`: the
   * semaphore, the pacer, the throttle, and what `alsoPause` names. For `maxPause` at most. Does nothing after `stop`.
   * @param until a `Date`, milliseconds since 1970, a `Retry-After` field, or a duration such as `"30s"`
   * @throws DtError `DT_INVALID_OPTION`
   * @example guard.pauseUntil(response.headers.get("retry-after") ?? "5s")
   */
  pauseUntil(until: PauseEnd): void {
    if (this.#state !== "stopped") this.#pausing.pauseUntil(until);
  }

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param event `"paused"`
   * @param listener the function that receives the event's data
   * @returns the function that ends it
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example guard.on("paused", ({ forMs }) => console.log(forMs))
   */
  on<E extends keyof GuardEvents>(event: E, listener: Listener<GuardEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /** The guard at this instant, as data. */
  status(): GuardStatus {
    return {
      kind: "guard",
      state: this.#state,
      name: this.name,
      pausedForMs: this.#pause.restMs,
      waiting: this.#waiting,
      maxWaiters: undefined,
      limiting: this.#isLimiting,
      calls: this.#tally.counts(),
      inflight: this.#inflight,
    };
  }

  /**
   * Ends in order: refuses new callers, serves those that wait, waits for the calls in flight, and stops.
   * @param options `timeout`: the most time that this takes
   * @returns true when all of it was done, false when time was up or `stop` was called meanwhile
   * @throws DtError `DT_INVALID_OPTION`
   * @example await guard.drain({ timeout: "10s" })
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
   * Ends at once: refuses the callers that wait and every new one with `DT_STOPPED`. Its parts go on: others may use
   * them. Never rejects.
   */
  async stop(): Promise<void> {
    if (this.#state === "stopped") return;
    this.#state = "stopped";
    const error = stoppedError(this.name, "stopped");
    this.#pause.stop(error);
    this.#door.stop(error);
    this.#drain.look();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #entrance(): GuardCalls {
    const { classify: ofGuard } = this.#settings;
    return callsOf({
      options: ["signal", "timeout", "priority", "rejection"],
      fixed: ["classify"],
      whenLimited: ["wait", "throw", "skip"],
      check: (options) => void checkGuardedCall(options, this.#settings),
      begin: () => this.#drain.begin(),
      admit: (options, whenLimited) => {
        const want = checkGuardedCall(options, this.#settings);
        return this.#admit(want, whenLimited, this.#deadlineOf(want), true);
      },
      make: async (right, call, options) => {
        let passage = right;
        const want = checkGuardedCall(options, this.#settings);
        // A pause may have begun since it was let through, and its caller may have given it up.
        while (this.#pause.restMs > 0 || want.signal?.aborted) {
          const untilMs = this.#untilMs.get(passage);
          passage[Symbol.dispose]();
          const again = await this.#admit(want, (options.whenLimited as When | undefined) ?? "wait", untilMs, false);
          if (again === SKIPPED) return undefined;
          passage = again;
        }
        return runCall(
          (verdict) => passage.settle(verdict),
          classifierFor(options as CallOptions, ofGuard),
          () => call(passage),
        );
      },
    });
  }

  /** @param isNew false for a call that was let through before: a guard that is being drained still serves it */
  async #admit(
    want: Want,
    whenLimited: When,
    untilMs: number | undefined,
    isNew: boolean,
  ): Promise<Passage | typeof SKIPPED> {
    try {
      const passage = await admitBy<Passage>(whenLimited, want.timeout, {
        wait: () => this.#wait(want, untilMs, isNew),
        now: () => this.#onItsWay(want, { isNew }, () => this.#door.now(want, true)),
        limited: () => limitedError(this.name, this.#pause.restMs),
      });
      if (passage !== SKIPPED && untilMs !== undefined) this.#untilMs.set(passage, untilMs);
      return passage;
    } catch (error) {
      if (whenLimited === "skip" && isDtError(error, "DT_LIMITED")) return SKIPPED;
      throw error;
    }
  }

  /** When the call's own time is up. */
  #deadlineOf({ timeoutMs }: Want): number | undefined {
    return timeoutMs === undefined ? undefined : this.#settings.runtime.now() + timeoutMs;
  }

  async #wait(want: Want, untilMs: number | undefined, isNew = true): Promise<Passage> {
    const { runtime } = this.#settings;
    const restMs = (): number | undefined => (untilMs === undefined ? undefined : Math.max(0, untilMs - runtime.now()));
    return this.#onItsWay(want, { isNew }, () => this.#door.wait(want, restMs));
  }

  /** True where a part, or a pause, made a call wait or refused one within the last 30 s. */
  get #isLimiting(): boolean {
    const { runtime, rejection, limit, semaphore, pacer, throttle } = this.#settings;
    if (this.#tally.isLimiting(runtime.now()) || (this.#waiting > 0 && this.#pause.restMs > 0)) return true;
    return [rejection, limit, semaphore, pacer, throttle].some((part) => part?.status().limiting);
  }

  async #onItsWay(want: Want, { isNew, onlyAsks = false }: Manner, way: () => Promise<Passage>): Promise<Passage> {
    const { runtime } = this.#settings;
    if (want.signal?.aborted) throw want.signal.reason;
    if (this.#state === "stopped" || (isNew && this.#state === "draining")) throw stoppedError(this.name, this.#state);
    const sinceMs = runtime.now();
    if (this.#pause.restMs > 0) this.#tally.limited(sinceMs);
    this.#waiting += 1;
    try {
      const passage = await way();
      if (isNew) this.#granted(want, runtime.now() - sinceMs);
      return passage;
    } catch (error) {
      if (onlyAsks && isDtError(error, "DT_LIMITED")) this.#tally.answeredNo();
      else if (isNew) this.#tally.failed(error, want.signal, runtime.now() - sinceMs, want.cost, want.priority);
      throw error;
    } finally {
      this.#waiting -= 1;
      this.#drain.look();
    }
  }

  /** A call that a part held up has waited; one that waited for a store, or for a start, has not. */
  #granted({ cost, priority }: Want, waitedMs: number): void {
    if (waitedMs >= LEAST_WAIT_MS && this.#isLimiting) this.#tally.decided("granted", waitedMs, cost, priority);
    else this.#tally.granted += 1;
  }
}

/**
 * Creates a guard: one door before a callee, behind which any of a rejection, a concurrency limit, a semaphore, a pacer
 * and a throttle stand. It is shut for all callers when the callee asks for a pause. It needs no start.
 * @param options the parts that hold calls back, and how long a pause may be
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const guard = createGuard({ limit: createConcurrencyLimit(), throttle })
 */
export function createGuard(options: GuardOptions = {}): Guard {
  return new Guard(checkGuard(options));
}

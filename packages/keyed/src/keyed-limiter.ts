import {
  type AcquireOptions,
  type DrainOptions,
  type DtError,
  isDtError,
  type Limiter,
  type Listener,
  type Slot,
} from "@dt/core";
import {
  type AcquireSettings,
  admitBy,
  type CallOptions,
  type Calls,
  callsOf,
  checkAcquireOptions,
  Drain,
  markVersion,
  SKIPPED,
} from "@dt/core/internal";
import type { Check, Peek } from "./check.ts";
import type { KeyedCall } from "./decisions.ts";
import type { KeyedEngine } from "./engine.ts";
import { limited, stoppedError } from "./errors.ts";
import type { KeyedEvent, KeyedEvents } from "./events.ts";
import { KeyCounts } from "./key-counts.ts";
import type { KeyedLimiterStatus } from "./status.ts";

type Options = AcquireOptions & { readonly cost?: number };
type KeyedCalls = Calls<Slot, number, AcquireOptions, "wait" | "throw" | "skip", object>;

/**
 * The limit of one key, in the shape of every limiter. Made by `limits.for(key)`, which costs nothing: make one for
 * each call, or keep it. Its right is a slot, which is to be released where the limit has `concurrent`.
 */
export class KeyedLimiter implements Limiter<Promise<Slot | undefined>, Slot> {
  static {
    markVersion(KeyedLimiter.prototype);
  }

  readonly #engine: KeyedEngine;
  readonly #counts = new KeyCounts();
  #calls: KeyedCalls | undefined;
  #drain: Drain | undefined;
  #state: KeyedLimiterStatus["state"] = "running";
  #waiting = 0;

  /** The key, such as a tenant. */
  readonly key: string;

  /** Use `limits.for(key)`. */
  constructor(engine: KeyedEngine, key: string) {
    this.#engine = engine;
    this.key = key;
  }

  /** The limit's name, which all its keys have. */
  get name(): string {
    return this.#engine.settings.name;
  }

  /**
   * Makes one call once it may go on, hands it the slot, and releases the slot when the call has ended.
   * @example const answer = await limits.for("tenant 7").run(() => report(), { timeout: "2s" })
   */
  get run(): KeyedCalls["run"] {
    return this.#callsOf().run;
  }

  /**
   * Turns a function into one whose calls are made as {@link KeyedLimiter.run} makes them. Also a standard decorator.
   * @example const send = limits.for("tenant 7").wrap(sendMail, { timeout: "2s" })
   */
  get wrap(): KeyedCalls["wrap"] {
    return this.#callsOf().wrap;
  }

  /**
   * Takes a cost where that is allowed now. Never waits for its turn, and never throws on a refusal.
   * @param cost units: a whole number, at most the key's burst; 1 by default
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`, `DT_PACE_MISMATCH`; the store's error, unless `whenStoreLost`
   *   decides what happens then
   * @example const { allowed, retryAfterMs } = await limits.for("tenant 7").check()
   */
  async check(cost: number = 1): Promise<Check> {
    this.#assertOpen();
    return this.#engine.check(this.#call(cost));
  }

  /**
   * How the key stands: one request to the store. Takes nothing.
   * @throws DtError as {@link KeyedLimiter.check} does
   * @example const { remaining } = await limits.for("tenant 7").peek()
   */
  async peek(): Promise<Peek> {
    this.#assertOpen();
    return this.#engine.peek(this.key);
  }

  /**
   * Waits until all of a cost may be spent. Callers of this process and key are served by priority.
   * @param cost units: a whole number, at most the key's burst; 1 by default
   * @param options `signal`, `timeout`, `priority`
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_TIMEOUT` with `retryAfterMs` where it is known,
   *   `DT_QUEUE_FULL`, `DT_STOPPED`, `DT_PACE_MISMATCH`; the signal's reason; the store's error
   * @example using slot = await limits.for("tenant 7").acquire(1, { timeout: "2s" })
   */
  async acquire(cost: number = 1, options?: AcquireOptions): Promise<Slot> {
    return this.#wait(cost, checkAcquireOptions(options));
  }

  /**
   * Takes a cost if it may be spent at this instant. While callers of the key wait it may not.
   * @param cost units: a whole number, at most the key's burst; 1 by default
   * @returns the slot, or undefined
   * @throws DtError as {@link KeyedLimiter.check} does
   * @example using slot = await limits.for("tenant 7").tryAcquire()
   */
  async tryAcquire(cost: number = 1): Promise<Slot | undefined> {
    this.#assertOpen();
    const check = await this.#engine.check(this.#call(cost));
    return check.allowed ? this.#engine.slotOf(this.key, cost, check) : undefined;
  }

  /**
   * The key at this instant, as data: what this process knows of it. Changes nothing.
   * @example limits.for("tenant 7").status().waiting
   */
  status(): KeyedLimiterStatus {
    const active = this.#engine.keyOf(this.key);
    const { runtime, maxWaiters } = this.#engine.settings;
    return {
      kind: "keyed",
      state: this.#state === "running" ? this.#engine.state : this.#state,
      ...{ name: this.name, key: this.key },
      ...{ maxWaiters, calls: this.#counts.counts() },
      limiting: this.#counts.isLimiting(runtime.now()) || (this.#waiting > 0 && active?.queue?.isHeldUp === true),
      ...{ waiting: active?.waiting ?? 0, inUse: active?.inUse ?? 0, inHand: active?.inHand ?? 0 },
      limit: active?.limitInForce ?? this.#engine.limitOf(this.key),
    };
  }

  /**
   * Listens to an event of the limit, of this key alone.
   * @param event its name, as in {@link KeyedEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example const off = limits.for("tenant 7").on("refused", ({ retryAfterMs }) => log(retryAfterMs))
   */
  on<E extends KeyedEvent>(event: E, listener: Listener<KeyedEvents[E]>): () => void {
    if (typeof listener !== "function") return this.#engine.events.on(event, listener);
    return this.#engine.events.on(event, (told) => {
      if (!("key" in told) || told.key === this.key) listener(told);
    });
  }

  /**
   * Ends this limiter in order: refuses its new callers (`DT_STOPPED`), serves those that wait, and lets calls of `run`
   * and of wrapped functions finish. Other limiters of the key go on.
   * @param options `timeout`, after which it is stopped in any case: 25 s by default
   * @returns true when all callers were served and all calls finished
   * @throws DtError `DT_INVALID_OPTION`
   * @example const inOrder = await limiter.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#drainOf().end(options, {
      refuse: () => {
        if (this.#state === "running") this.#state = "draining";
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
    });
  }

  /**
   * Ends this limiter at once: its callers that wait are refused with `DT_STOPPED`. Other limiters of the key go on,
   * and so do calls that run. Never rejects; may be called again.
   * @example await limiter.stop()
   */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#engine.closeOwner(this.key, this.#counts);
    this.#drain?.look();
  }

  /** The same as {@link KeyedLimiter.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #drainOf(): Drain {
    this.#drain ??= new Drain(this.#engine.settings.runtime, () => this.#waiting);
    return this.#drain;
  }

  #callsOf(): KeyedCalls {
    this.#calls ??= callsOf<Slot>({
      options: ["signal", "timeout", "priority"],
      whenLimited: ["wait", "throw", "skip"],
      check: (options) => void this.#checked(options),
      begin: () => this.#begin(),
      admit: (options, whenLimited) => {
        const { cost, how } = this.#checked(options);
        let check: Check | undefined;
        return admitBy<Slot>(whenLimited, options.timeout, {
          wait: () => this.#wait(cost, how),
          now: async () => {
            how.signal?.throwIfAborted();
            this.#assertOpen();
            check = await this.#engine.check(this.#call(cost), how);
            if (check.allowed) return this.#engine.slotOf(this.key, cost, check);
            this.#engine.refused(this.key, cost, how);
            return SKIPPED;
          },
          limited: () => limited(this.#whose, check as Check) as DtError,
        });
      },
      make: async (slot, call) => {
        try {
          return await call(slot);
        } finally {
          slot.release();
        }
      },
    });
    return this.#calls;
  }

  #call(cost: number): KeyedCall {
    return { key: this.key, cost, counts: this.#counts };
  }

  get #whose(): { name: string; key: string } {
    return { name: this.name, key: this.key };
  }

  #begin(): () => void {
    const ends = [this.#drainOf().begin(), this.#engine.begin()];
    return () => {
      for (const end of ends) end();
    };
  }

  #checked(options: CallOptions): { readonly cost: number; readonly how: AcquireSettings } {
    const { cost = 1, signal, timeout, priority } = options as Options;
    this.#engine.checked(this.key, cost);
    return { cost, how: checkAcquireOptions({ signal, timeout, priority }) };
  }

  async #wait(cost: number, how: AcquireSettings): Promise<Slot> {
    this.#assertOpen();
    this.#waiting += 1;
    try {
      return await this.#engine.acquire(this.key, cost, how, this.#counts);
    } catch (error) {
      if (this.#state === "stopped" && isDtError(error, "DT_STOPPED")) throw this.#stopped();
      throw error;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#drain?.look();
    }
  }

  #stopped(): DtError<"DT_STOPPED"> {
    return stoppedError(this.name, this.#state === "draining" ? "is being drained" : "was stopped");
  }

  #assertOpen(): void {
    if (this.#state !== "running") throw this.#stopped();
  }
}

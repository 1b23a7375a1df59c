import type { DrainOptions, Listener } from "@dt/core";
import { checkName, Drain, type Events, markVersion } from "@dt/core/internal";
import type { Check, Peek } from "./check.ts";
import { KeyedEngine } from "./engine.ts";
import { type KeyedEvent, type KeyedEvents, keyedEvents } from "./events.ts";
import { KeyedLimiter } from "./keyed-limiter.ts";
import { checkKeyedOptions, type KeyedOptions } from "./options.ts";
import type { KeyedStatus } from "./status.ts";

/** A limit for each key, such as a tenant, over a whole fleet. Made by {@link createKeyed}. */
export class Keyed {
  static {
    markVersion(Keyed.prototype);
  }

  /** The limit's name: equal keys of one name on one store share a limit. */
  readonly name: string;

  readonly #events: Events<KeyedEvents>;
  readonly #engine: KeyedEngine;
  readonly #drain: Drain;
  #state: KeyedStatus["state"] = "running";
  #stopping: Promise<void> | undefined;

  /** Use {@link createKeyed}. */
  constructor(options: KeyedOptions) {
    const settings = checkKeyedOptions(options);
    this.name = settings.name;
    this.#events = keyedEvents({ name: settings.name });
    this.#drain = new Drain(settings.runtime, () => this.#engine.waiting);
    this.#engine = new KeyedEngine(settings, this.#events, this.#drain);
  }

  /**
   * The limiter of one key. It costs nothing: make one for each call, or keep it.
   * @param key such as a tenant; 1 to 1,024 UTF-8 bytes
   * @throws DtError `DT_INVALID_OPTION`
   * @example await limits.for("tenant 7").run(() => report())
   */
  for(key: string): KeyedLimiter {
    return new KeyedLimiter(this.#engine, checkName("key", key));
  }

  /**
   * Takes a cost of a key where that is allowed now. Never waits for its turn, and never throws on a refusal.
   * @param key such as a tenant
   * @param cost units: a whole number, at most the key's burst; 1 by default
   * @throws DtError `DT_INVALID_OPTION`, `DT_INVALID_COST`, `DT_STOPPED`, `DT_PACE_MISMATCH`; the store's error, unless
   *   `whenStoreLost` decides what happens then
   * @example const { allowed, retryAfterMs } = await limits.check("tenant 7")
   */
  async check(key: string, cost: number = 1): Promise<Check> {
    return this.#engine.check({ key, cost, counts: undefined });
  }

  /**
   * How a key stands: one request to the store. Takes nothing.
   * @param key such as a tenant
   * @throws DtError as {@link Keyed.check} does
   * @example const { remaining } = await limits.peek("tenant 7")
   */
  async peek(key: string): Promise<Peek> {
    return this.#engine.peek(key);
  }

  /**
   * Forgets a key in the store, so that its bucket is full and none of its slots are in use. What other processes have
   * in hand of it stays theirs for up to 2.5 s.
   * @param key such as a tenant
   * @throws DtError `DT_INVALID_OPTION`; the store's error
   * @example await limits.reset("tenant 7")
   */
  async reset(key: string): Promise<void> {
    return this.#engine.reset(key);
  }

  /**
   * Listens to an event of all keys. An event that has no listener costs nothing.
   * @param event its name, as in {@link KeyedEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example const off = limits.on("refused", ({ key, limitedBy }) => log(key, limitedBy))
   */
  on<E extends KeyedEvent>(event: E, listener: Listener<KeyedEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * The limit at this instant, as data: what this process knows of it. Changes nothing.
   * @example limits.status().keys
   */
  status(): KeyedStatus {
    const { keys, waiting, inUse, counts, calls, isLimiting: limiting, lastError, settings } = this.#engine;
    const { name, maxWaiters } = settings;
    const common = { kind: "keyed", state: this.#state, name, waiting, maxWaiters, limiting, calls } as const;
    return { ...common, keys, inUse, ...counts, lastError };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those that wait, lets calls of `run` and of wrapped
   * functions finish, and stops. The first call counts.
   * @param options `timeout`, after which the limit is stopped in any case: 25 s by default
   * @returns true when all callers were served and all calls finished
   * @throws DtError `DT_INVALID_OPTION`
   * @example const inOrder = await limits.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#drain.end(options, {
      refuse: () => {
        if (this.#state !== "running") return;
        this.#state = "draining";
        this.#engine.refuse("is being drained");
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
    });
  }

  /**
   * Ends at once: refuses the callers that wait (`DT_STOPPED`), and gives back what is not used. Calls that run lose
   * their slots. Never rejects; may be called again. Does not close the store.
   * @example await limits.stop()
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The same as {@link Keyed.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    await this.#engine.close();
    this.#state = "stopped";
    this.#drain.look();
  }
}

/**
 * Creates a limit for each key, over a whole fleet: so many calls a second for each tenant, user or address.
 * @param options `name`, `store` and `limit`; the rest has defaults
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const limits = createKeyed({ name: "api", store, limit: { rate: "5/s", burst: 10 } });
 */
export function createKeyed(options: KeyedOptions): Keyed {
  return new Keyed(options);
}

import type { BatchOptions } from "../internal/batches.ts";
import type { DrainOptions } from "../internal/drain.ts";
import type { Events, Listener } from "../internal/events.ts";
import type { PauseEnd } from "../internal/pause.ts";
import { Tally } from "../internal/tally.ts";
import { markVersion } from "../internal/version.ts";
import type { AcquireOptions } from "../limiter/acquire-options.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Run } from "../limiter/run.ts";
import type { Wrap } from "../limiter/wrap.ts";
import { Admission } from "./admission.ts";
import { OwnPermits } from "./own-permits.ts";
import { type PacerEvent, type PacerEvents, pacerEvents } from "./pacer-events.ts";
import {
  checkPacerOptions,
  type PacerOptions,
  type PacerSettings,
  type PacerUpdate,
  updatedOptions,
} from "./pacer-options.ts";
import type { PacerStatus } from "./pacer-status.ts";
import type { Permit } from "./permit.ts";

/**
 * Spaces calls: at most one permit every `every` for all processes with the same name, on the store's clock. Made by
 * {@link createPacer}.
 */
export class Pacer implements Limiter<Promise<Permit | undefined>, Permit> {
  static {
    markVersion(Pacer.prototype);
  }

  /** The pacer's name: pacers of one name on one store keep the distance between them. */
  readonly name: string;

  /**
   * Makes one call once it has its permit, and hands it the permit. Settles as the call does.
   * @param call the function to be called with the permit
   * @param options `cost`, `signal`, `timeout`, `priority`, and `whenLimited`
   * @throws DtError what {@link Pacer.acquire} rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const sent = await pacer.run(() => send(mail), { cost: 2, timeout: "5s" })
   */
  readonly run: Run<Permit>;

  /**
   * Turns a function into one that keeps the distance: each call waits for its permit first. Also a standard decorator:
   * `@pacer.wrap`, `@pacer.wrap({ cost: 2 })`.
   * @param fn the function, or the method that is decorated
   * @param options those of {@link Pacer.run}: values, or functions of a call's arguments
   * @throws DtError `DT_INVALID_OPTION`, `DT_INVALID_COST`; each call rejects as {@link Pacer.run} does
   * @example const sendPaced = pacer.wrap(send, { cost: (mail) => mail.to.length, whenLimited: "throw" })
   */
  readonly wrap: Wrap;

  #options: PacerOptions;
  readonly #settings: PacerSettings;
  readonly #permits: OwnPermits;
  readonly #admission: Admission<Permit>;
  readonly #events: Events<PacerEvents>;
  readonly #tally: Tally;

  /** Use {@link createPacer}. */
  constructor(options: PacerOptions) {
    const settings = checkPacerOptions(options);
    this.name = settings.name;
    this.#options = { ...options };
    this.#settings = settings;
    this.#events = pacerEvents({ name: settings.name });
    this.#tally = new Tally(this.#events.topic("decided"));
    this.#permits = new OwnPermits(settings, this.#events, this.#tally);
    this.#admission = new Admission(settings, this.#permits, this.#tally);
    this.run = this.#admission.calls.run;
    this.wrap = this.#admission.calls.wrap;
  }

  /** What all pacers of this name must agree on, as text: see the option `replaces`. With `stored` they need not. */
  get terms(): string {
    return this.#settings.terms;
  }

  /** Callers waiting. */
  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Permits wasted because their holder woke later than `permitTtl`, or because no caller was left for them. */
  get wasted(): number {
    return this.#permits.wasted;
  }

  /**
   * Waits for a permit. Callers of one process are served by priority, and then in the order in which they came. That
   * order is exact for callers of one cost, and nearly exact for callers of different costs. Processes are served in
   * the order in which their reservations reach the store.
   * @param cost what the call costs, in units of `every`: a number > 0, at most `maxCost`
   * @default cost 1
   * @param options `signal`, `timeout`, `priority`. With a timeout of 0 the store is asked once, and only for a permit
   *   that is free at this instant
   * @throws DtError `DT_TIMEOUT` with `retryAfterMs`: at once when the permit's instant would come later than the
   *   timeout; `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_PACE_MISMATCH`, or the
   *   store's (`DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, ...). An aborted call rejects with its signal's reason
   * @example const { lateMs } = await pacer.acquire(2, { timeout: "10s", priority: 5 })
   */
  acquire(cost?: number, options?: AcquireOptions): Promise<Permit> {
    return this.#admission.acquire(cost, options);
  }

  /**
   * Takes a permit if one is free at this instant: a round trip to the store, and no waiting. While callers wait there
   * is none. A permit whose answer took longer than `permitTtl` is given back.
   * @param cost what the call costs, in units of `every`
   * @default cost 1
   * @returns the permit, or undefined
   * @throws DtError as {@link Pacer.acquire} does, but for `DT_TIMEOUT` and `DT_QUEUE_FULL`
   * @example if (await pacer.tryAcquire()) await send(mail)
   */
  tryAcquire(cost?: number): Promise<Permit | undefined> {
    return this.#admission.tryAcquire(cost);
  }

  /**
   * No process uses a permit of this name before then: for a callee that answered 429 with a `Retry-After`. Callers
   * wait until it is over, or reject at once where their time ends before. A request to the store is sent at once.
   * Every other process learns of the pause with its own next request, and gives up the instants that it holds ahead.
   * A pause that would end before the one that lasts changes nothing. After it permits come one at a time, without a
   * burst. Does nothing after `stop`.
   * @param until a `Date`, milliseconds since 1970, a `Retry-After` field, or a duration such as `"30s"`; at most a day
   *   from now, more is cut
   * @throws DtError `DT_INVALID_OPTION`
   * @example pacer.pauseUntil(response.headers.get("retry-after") ?? "5s")
   */
  pauseUntil(until: PauseEnd): void {
    this.#admission.pauseUntil(until);
  }

  /**
   * Goes on with another pace, in this process: call it in every one. The new terms take the place of the old ones, as
   * with the option `replaces`. Until all processes have them, each permit has the distance of its own process.
   * Instants that are held go back, and callers that wait ask anew. The permit that was reserved last keeps its old
   * distance. With `stored` this is the code's value, and the limit in the store stays: see `setLimit`.
   * @param limit `every` or `rate`, and `burst`; what is left out stays
   * @throws DtError `DT_INVALID_OPTION`; nothing is changed then
   * @example pacer.update({ rate: "20/s" })
   */
  update(limit: PacerUpdate): void {
    const options = updatedOptions(this.#options, limit);
    const { code, stored, everyMs, burst } = this.#settings;
    const settings = checkPacerOptions({ ...options, replaces: this.terms });
    if (settings.code.everyMs === code.everyMs && settings.code.burst === code.burst) return;
    this.#options = options;
    // All parts of the pacer share its settings.
    Object.assign(this.#settings, settings, stored && { everyMs, burst });
    if (!stored) this.#permits.renew();
  }

  /**
   * Reads an iterable, async or not, in batches. A batch waits for a permit that costs as much as it has items, so it
   * has at most `maxCost` of them. Ends with the source; on early exit the source is closed.
   * @param source what is read
   * @param options `size`, `linger` and `signal`
   * @throws DtError as {@link Pacer.acquire} does
   * @example for await (const batch of pacer.batches(queue, { size: 50 })) await send(batch)
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    return this.#admission.batches(source, options);
  }

  /**
   * Listens to an event. An event that has no listener costs nothing.
   * @param event its name, as in {@link PacerEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example const off = pacer.on("wasted", ({ lateMs }) => log(lateMs))
   */
  on<E extends PacerEvent>(event: E, listener: Listener<PacerEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * The pacer at this instant, as data. Changes nothing.
   * @example pacer.status().waiting
   */
  status(): PacerStatus {
    const { name, terms } = this;
    const { waiting, reserved, wasted, pausedForMs, lastError, isLimiting: limiting } = this.#permits;
    const { stored, everyMs, burst, maxWaiters } = this.#settings;
    const { state } = this.#admission;
    const limit = { everyMs, burst };
    const calls = this.#tally.counts();
    return {
      ...{ kind: "pacer", state, name, terms, stored, limit, waiting, maxWaiters, limiting, calls },
      ...{ reserved, wasted, pausedForMs, lastError },
    };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those that wait, lets calls of `run` and of wrapped
   * functions finish, and stops as {@link Pacer.stop} does. The first call counts.
   * @param options `timeout`, after which the pacer is stopped in any case: 25 s by default
   * @returns true when all callers were served, all calls finished, and the store took back the unused permits. False
   *   when time was up, `stop` was called meanwhile, or the store did not take them back. Other processes then wait for
   *   instants that no caller uses
   * @throws DtError `DT_INVALID_OPTION`
   * @example const inOrder = await pacer.drain({ timeout: "10s" })
   */
  drain(options?: DrainOptions): Promise<boolean> {
    return this.#admission.drain(options);
  }

  /**
   * Ends at once: refuses the callers that wait (`DT_STOPPED`) and gives their instants back. Resolves when the calls
   * of the store have ended, within two `storeTimeout`s. Never rejects; may be called again. Does not close the store.
   * @example await pacer.stop()
   */
  stop(): Promise<void> {
    return this.#admission.stop();
  }

  /** The same as {@link Pacer.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Creates a pacer: at most one permit every `every` for all processes with the same `name` on the same store.
 * @param options `name`, `store`, and `every` or `rate`; the rest has defaults
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const pacer = createPacer({ name: "mail", every: "6s", store })
 */
export function createPacer(options: PacerOptions): Pacer {
  return new Pacer(options);
}

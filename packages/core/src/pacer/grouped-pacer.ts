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
import { checkGroupedPacerOptions, type GroupedPacerOptions, type GroupedPermit } from "./grouped-pacer-options.ts";
import { GroupedPermits } from "./grouped-permits.ts";
import { type GroupedPacerEvent, type GroupedPacerEvents, groupedPacerEvents } from "./pacer-events.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { GroupedPacerStatus } from "./pacer-status.ts";

/**
 * Divides a total among sites, each with its own store. A busy site takes what other sites leave unused, and only that:
 * it never reserves ahead of another site's own processes. A site that is cut off from the others goes on with its
 * part. The total is never exceeded, since every permit comes from exactly one part. So in any t seconds there are at
 * most `rate` x t permits and `burst`, or as many as there are sites if these are more. Made by
 * {@link createGroupedPacer}.
 */
export class GroupedPacer implements Limiter<Promise<GroupedPermit | undefined>, GroupedPermit> {
  static {
    markVersion(GroupedPacer.prototype);
  }

  /** The pacer's name, the same at all sites. */
  readonly name: string;

  /** The site of this process. */
  readonly site: string;

  /** The sites and their parts, on which all pacers of this name must agree, as text: see the option `replaces`. */
  readonly terms: string;

  /**
   * Makes one call once it has its permit, and hands it the permit. Settles as the call does.
   * @param call the function to be called with the permit
   * @param options `cost`, `signal`, `timeout`, `priority`, and `whenLimited`. With `"throw"`, and with `"skip"`
   *   without a timeout, only a permit of the own part will do
   * @throws DtError what {@link GroupedPacer.acquire} rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const sent = await pacer.run(({ site }) => send(mail, site))
   */
  readonly run: Run<GroupedPermit>;

  /**
   * Turns a function into one that keeps the distance: each call waits for its permit first. Also a standard decorator:
   * `@pacer.wrap`, `@pacer.wrap({ cost: 2 })`.
   * @param fn the function, or the method that is decorated
   * @param options those of {@link GroupedPacer.run}: values, or functions of a call's arguments
   * @throws DtError `DT_INVALID_OPTION`, `DT_INVALID_COST`; each call rejects as {@link GroupedPacer.run} does
   * @example const sendPaced = pacer.wrap(send, { cost: (mail) => mail.to.length })
   */
  readonly wrap: Wrap;

  readonly #own: PacerSettings;
  readonly #permits: GroupedPermits;
  readonly #admission: Admission<GroupedPermit>;
  readonly #events: Events<GroupedPacerEvents>;
  readonly #tally: Tally;

  /** Use {@link createGroupedPacer}. */
  constructor(options: GroupedPacerOptions) {
    const settings = checkGroupedPacerOptions(options);
    const { own, site } = settings;
    this.name = own.name;
    this.site = site;
    this.terms = own.terms;
    this.#own = own;
    this.#events = groupedPacerEvents({ name: own.name, site });
    this.#tally = new Tally(this.#events.topic("decided"));
    this.#permits = new GroupedPermits(settings, this.#events, this.#tally);
    this.#admission = new Admission(own, this.#permits, this.#tally);
    this.run = this.#admission.calls.run;
    this.wrap = this.#admission.calls.wrap;
  }

  /** Permits taken from other sites so far. */
  get stolen(): number {
    return this.#permits.stolen;
  }

  /** Callers waiting. */
  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Permits of the own part that were wasted, as {@link Pacer.wasted}. */
  get wasted(): number {
    return this.#permits.own.wasted;
  }

  /**
   * Waits for a permit of the own part, and from `stealAfter` on also for one that another site leaves unused. A permit
   * of another site goes to the highest priority, and of these to the caller that has waited longest.
   * @param cost what the call costs, in units of `every`: a number > 0, at most `maxCost`
   * @default cost 1
   * @param options `signal`, `timeout`, `priority`. With a timeout of 0 the own store is asked once, and only for a
   *   permit that is free at this instant
   * @throws DtError as `Pacer.acquire` does. Errors are those of the own store: another site's never fail a caller
   * @example const { site } = await pacer.acquire(1, { timeout: "10s" })
   */
  acquire(cost?: number, options?: AcquireOptions): Promise<GroupedPermit> {
    return this.#admission.acquire(cost, options);
  }

  /**
   * Takes a permit of the own part if one is free at this instant: a round trip to the own store, and no waiting. Other
   * sites are not asked: only a caller that has waited `stealAfter` takes from them.
   * @param cost what the call costs, in units of `every`
   * @default cost 1
   * @returns the permit, or undefined
   * @throws DtError as {@link GroupedPacer.acquire} does, but for `DT_TIMEOUT` and `DT_QUEUE_FULL`
   * @example if (await pacer.tryAcquire()) await send(mail)
   */
  tryAcquire(cost?: number): Promise<GroupedPermit | undefined> {
    return this.#admission.tryAcquire(cost);
  }

  /**
   * No process uses a permit of this name before then, at any site: for a callee that answered 429 with a
   * `Retry-After`. Callers wait until it is over, or reject at once where their time ends before. A request to each
   * site's store is sent at once. Every other process learns of the pause with its own next request, and gives up the
   * instants that it holds ahead. A pause that would end before the one that lasts changes nothing. After it permits
   * come one at a time, without a burst. Does nothing after `stop`.
   * @param until a `Date`, milliseconds since 1970, a `Retry-After` field, or a duration such as `"30s"`; at most a day
   *   from now, more is cut
   * @throws DtError `DT_INVALID_OPTION`
   * @example pacer.pauseUntil(response.headers.get("retry-after") ?? "5s")
   */
  pauseUntil(until: PauseEnd): void {
    this.#admission.pauseUntil(until);
  }

  /**
   * Reads an iterable, async or not, in batches. A batch waits for a permit that costs as much as it has items, so it
   * has at most `maxCost` of them. Ends with the source; on early exit the source is closed.
   * @param source what is read
   * @param options `size`, `linger` and `signal`
   * @throws DtError as {@link GroupedPacer.acquire} does
   * @example for await (const batch of pacer.batches(queue, { size: 50 })) await send(batch)
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    return this.#admission.batches(source, options);
  }

  /**
   * Listens to an event. An event that has no listener costs nothing.
   * @param event its name, as in {@link GroupedPacerEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example const off = pacer.on("stolen", ({ site }) => log(site))
   */
  on<E extends GroupedPacerEvent>(event: E, listener: Listener<GroupedPacerEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * The pacer at this instant, as data. Changes nothing.
   * @example pacer.status().stolen
   */
  status(): GroupedPacerStatus {
    const { name, site, terms, stolen } = this;
    const { waiting, reserved, wasted, pausedForMs, lastError, isLimiting: limiting } = this.#permits.own;
    const { state } = this.#admission;
    const { stored, everyMs, burst, maxWaiters } = this.#own;
    const limit = { everyMs, burst };
    const calls = this.#tally.counts();
    return {
      ...{ kind: "pacer", state, name, site, terms, stored, limit, waiting, maxWaiters, limiting, calls },
      ...{ reserved, stolen, wasted, pausedForMs, lastError },
    };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those that wait, lets calls of `run` and of wrapped
   * functions finish, and stops as {@link GroupedPacer.stop} does. The first call counts.
   * @param options `timeout`, after which the pacer is stopped in any case: 25 s by default
   * @returns true when all callers were served, all calls finished, and every store took back the unused permits;
   *   otherwise false, as `Pacer.drain` answers
   * @throws DtError `DT_INVALID_OPTION`
   * @example const inOrder = await pacer.drain({ timeout: "10s" })
   */
  drain(options?: DrainOptions): Promise<boolean> {
    return this.#admission.drain(options);
  }

  /**
   * Ends at once: refuses the callers that wait (`DT_STOPPED`) and gives everything back. Resolves when the calls of
   * the stores have ended. Never rejects; may be called again. Does not close the stores.
   * @example await pacer.stop()
   */
  stop(): Promise<void> {
    return this.#admission.stop();
  }

  /** The same as {@link GroupedPacer.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Creates a pacer whose total is divided among sites, each with its own store.
 * @param options `name`, `sites`, `site`, and `every` or `rate`; the rest has defaults
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const pacer = createGroupedPacer({ name: "mail", rate: "600/min", sites: { eu, us }, site: "eu" })
 */
export function createGroupedPacer(options: GroupedPacerOptions): GroupedPacer {
  return new GroupedPacer(options);
}

import { type Admitted, type BatchOptions, batches } from "../internal/batches.ts";
import type { DrainOptions } from "../internal/drain.ts";
import type { Listener } from "../internal/events.ts";
import { type PauseEnd, pauseMsOf } from "../internal/pause.ts";
import { readForMetrics } from "../internal/read-for-metrics.ts";
import { markVersion } from "../internal/version.ts";
import type { AcquireOptions } from "../limiter/acquire-options.ts";
import { callsOf } from "../limiter/calls.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Run } from "../limiter/run.ts";
import type { Wrap } from "../limiter/wrap.ts";
import type { Asking } from "./asking.ts";
import { checkTokens } from "./check-tokens.ts";
import { ALL, entranceOf } from "./entrance.ts";
import type { ThrottleEvent, ThrottleEvents } from "./events.ts";
import type { Grant } from "./grants.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { checkCap, checkUpdate } from "./limit.ts";
import type { ThrottleOptions, ThrottleUpdate } from "./options.ts";
import { Parts } from "./parts.ts";
import { checkOptions, type ThrottleSettings } from "./settings.ts";
import type { StartOptions } from "./start-options.ts";
import type { ThrottleStatus } from "./status.ts";
import { statusAt } from "./status-at.ts";

/** Promises do not change once they are settled, so one serves all calls that are granted at once. */
const GRANTED: Promise<void> = Promise.resolve();

/**
 * A member's part of a limit that a fleet shares. Grants are local: no I/O, no promise, no allocation; a background
 * sync with the store keeps the share right. Made by {@link createThrottle}.
 */
export class Throttle implements Limiter<boolean, void> {
  static {
    markVersion(Throttle.prototype);
    readForMetrics(Throttle.prototype, (throttle) => statusAt(throttle.#parts));
  }

  /** The name of the limit: throttles of one name on one store share it. */
  readonly name: string;
  /** This member's id in the group. */
  readonly memberId: string;
  readonly #parts: Parts;
  readonly #asking: Asking;
  readonly #life: Lifecycle;

  /**
   * Makes one call once its tokens are granted. It passes nothing to the function.
   * @example const answer = await throttle.run(() => fetch(url), { cost: 2, timeout: "5s" })
   */
  readonly run: Run<void>;

  /**
   * Turns a function into one that obeys the limit: each call waits for its tokens first. Also a standard decorator.
   * @example const send = throttle.wrap(sendMail, { timeout: "5s" })
   */
  readonly wrap: Wrap;

  /** Use {@link createThrottle}. */
  constructor(settings: ThrottleSettings) {
    this.name = settings.name;
    this.memberId = settings.memberId;
    this.#parts = new Parts(settings, settings.replaced && new Throttle(settings.replaced));
    const { asking, life } = this.#parts;
    this.#asking = asking;
    this.#life = life;
    const { run, wrap } = callsOf<void>(entranceOf(asking, life));
    this.run = run;
    this.wrap = wrap;
  }

  /**
   * Joins the group now, for programs that want to fail early. Otherwise the first call joins it. Resolves once the
   * store has answered. May be called again after it failed; calls that come while it is under way wait for the same
   * start.
   *
   * While the store does not answer, or members with another `interval` are there, it tries again for `timeout`. An
   * error that no waiting mends ends it at once, as do `stop()` and the `signal`. With `onStoreLost: floor` it resolves
   * also when the store does not answer, and goes on trying.
   * @param options how long it tries, and what stops it
   * @throws DtError `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, `DT_INTERVAL_MISMATCH` (the last cause, and how long it
   *   tried), `DT_STORE_CLOSED`, `DT_STORE_UNSUITABLE`, `DT_STORE_DATA`, `DT_STORE_REPLY`, `DT_INVALID_OPTION`,
   *   `DT_STOPPED`; the signal's reason
   * @example await throttle.start({ timeout: "1m", signal: AbortSignal.timeout(45_000) })
   */
  start(options: StartOptions = {}): Promise<void> {
    return this.#life.start(options);
  }

  /**
   * Grants all of `cost` tokens now, or none: local, synchronous, no I/O. False while callers wait in `acquire`, which
   * are served first, and until the throttle has started, which the call begins in the background.
   *
   * It never collects: where `cost` is more than this member's share can hold at once it stays false, and the reason in
   * `status().blockedBy` is `share`.
   * @param cost how many tokens: a whole number from 1 to `max`
   * @default 1
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   * @example if (throttle.tryAcquire()) send(mail)
   */
  tryAcquire(cost = 1): boolean {
    if (cost !== 1) checkTokens(cost, this.#asking.max);
    if (this.#asking.all(cost)) return true;
    this.#asking.refused(cost);
    return false;
  }

  /**
   * Grants up to `n` tokens now, and returns how many: 0 to `n`. Otherwise the same as {@link tryAcquire}.
   * @param n the most tokens that are of use: a whole number >= 1, also more than `max`
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   * @example const batch = waiting.splice(0, throttle.tryAcquireUpTo(100))
   */
  tryAcquireUpTo(n: number): number {
    const granted = this.#asking.takeUpTo(checkTokens(n));
    if (granted === 0) this.#asking.refused(1);
    else this.#asking.reportNow(granted);
    return granted;
  }

  /**
   * The same as {@link tryAcquire}, answered as a {@link Grant}: tokens that turn out not to be needed can be given
   * back. Undefined where `tryAcquire` answers false.
   * @param cost how many tokens: a whole number from 1 to `max`
   * @default 1
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   * @example const grant = throttle.tryAcquireGrant(10)
   */
  tryAcquireGrant(cost = 1): Grant | undefined {
    const asking = this.#asking;
    if (asking.takeAll(checkTokens(cost, asking.max)) === 0) {
      asking.refused(cost);
      return undefined;
    }
    const part = asking.part(cost);
    const grant = this.#parts.grants.of([part]);
    asking.report(part);
    return grant;
  }

  /**
   * Waits until all of `cost` tokens are granted. Starts the throttle where it has to, within the call's time. Callers
   * are served by priority, and then in the order in which they came.
   *
   * Where `cost` is more than this member's share, the first caller of the queue collects it over several epochs. The
   * tokens that a caller had collected go to the next one when it gives up.
   * @param cost how many tokens: a whole number from 1 to `max`
   * @default 1
   * @param options how the call waits
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_TIMEOUT` (with
   *   `retryAfterMs` where it is known), `DT_MEMBER_FENCED`, `DT_STORE_SLOW`. Also the signal's reason, the error of
   *   the start, and the store's error, when the share is no longer valid and `onStoreLost` grants nothing
   * @example await throttle.acquire(5, { timeout: "2s", priority: 1 })
   */
  acquire(cost = 1, options?: AcquireOptions): Promise<void> {
    // The common case stands outside of any try block: within, the same calls compile to slower code.
    if (options === undefined && this.#life.state === "running" && cost === 1) {
      if (this.#asking.all(1)) return GRANTED;
      return this.#asking.wait(ONE);
    }
    return this.#asking.acquire<void>(cost, options, ALL);
  }

  /**
   * Waits until at least one token can be granted, and grants up to `n` of the tokens that are there then. Otherwise
   * the same as {@link acquire}.
   * @param n the most tokens that are of use: a whole number >= 1, also more than `max`
   * @param options how the call waits
   * @returns how many are granted: 1 to `n`
   * @throws DtError what `acquire` rejects with
   * @example const batch = waiting.splice(0, await throttle.acquireUpTo(100))
   */
  acquireUpTo(n: number, options?: AcquireOptions): Promise<number> {
    return this.#asking.acquire(n, options, { upTo: true, answer: ([part]) => part?.tokens ?? 0 });
  }

  /**
   * The same as {@link acquire}, answered as a {@link Grant}: tokens that turn out not to be needed can be given back.
   * @param cost how many tokens: a whole number from 1 to `max`
   * @default 1
   * @param options how the call waits
   * @throws DtError what `acquire` rejects with
   * @example const grant = await throttle.acquireGrant(10)
   */
  acquireGrant(cost = 1, options?: AcquireOptions): Promise<Grant> {
    const { grants } = this.#parts;
    return this.#asking.acquire(cost, options, { upTo: false, answer: (parts) => grants.of(parts) });
  }

  /**
   * Reads an iterable, async or not, in batches no larger than the tokens that are granted. Gives back tokens that no
   * item used. Ends with the source; when the loop is left early the source is closed.
   * @param source what the items come from
   * @param options how large a batch may be, and how long it waits to be filled
   * @returns batches of 1 to `options.size` items
   * @throws DtError what `acquire` rejects with
   * @example for await (const batch of throttle.batches(messages, { size: 50 })) await send(batch)
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    const { grants, demand, settings } = this.#parts;
    const { runtime } = settings;
    const admit = async (size: number, signal: AbortSignal | undefined): Promise<Admitted> => {
      // One item is there. What more is needed counts as asked for when it shows: as the batch goes out.
      const wanted = { upTo: true, needs: 1, answer: grants.of.bind(grants) };
      const grant = await this.#asking.acquire(size, { signal }, wanted);
      const goesOut = (used: number): void => {
        // One that had room for a single item says nothing of others.
        if (used > 1) demand?.needed((used < grant.tokens ? used : size) - 1, runtime.now());
        grant.deposit(grant.tokens - used);
      };
      return { size: grant.tokens, goesOut };
    };
    return batches(admit, runtime, source, options);
  }

  /**
   * Changes the limit and its ramp while running; `min` and `rampUp` stay as they are unless they are given. The level
   * stays where it is, within the new ramp, and goes on in steps of it. The group's capacity is the smallest `max` that
   * a live member declares. A lower limit holds at once for this member, and soon for all. A higher limit holds once
   * all members have it. With `stored` this is the code's value, and the limit in the store stays: see `setLimit`.
   * @param limit the new `rate` (of the same interval) or `max`, and its ramp
   * @throws DtError `DT_INVALID_OPTION`
   * @example throttle.update({ max: 200 })
   */
  update(limit: ThrottleUpdate): void {
    const { allowance, membership, settings } = this.#parts;
    allowance.changeLimit(checkUpdate(limit, settings.intervalMs, allowance.code));
    if (this.#life.state === "running") membership.syncSoon();
  }

  /**
   * Lowers the level of the whole token pool for this member alone and at once. It never lifts the level above `max`,
   * and below 1 nothing is granted. The ramp goes on beneath it, `update` leaves it, and other members do not learn of
   * it.
   * @param level tokens per interval; `undefined` or `Infinity` takes the cap away
   * @throws DtError `DT_INVALID_OPTION`
   * @example throttle.cap(50)
   */
  cap(level?: number): void {
    const { allowance, queue } = this.#parts;
    allowance.capAt(checkCap(level));
    if (queue.size > 0) queue.serve();
  }

  /**
   * Stops the whole fleet: no process grants a token before. This one stops at once, the others with their next sync.
   * Callers that wait go on waiting. A pause only ever grows: an earlier end than that of one under way changes
   * nothing. Afterwards grants go on as before; the tokens of epochs that passed are lost.
   * @param until a `Date`, milliseconds since 1970, the text of a `Retry-After` field, or a duration from now on; what
   *   is more than a day away counts as a day
   * @throws DtError `DT_INVALID_OPTION`
   * @example if (response.status === 429) throttle.pauseUntil(response.headers.get("retry-after") ?? "1s")
   */
  pauseUntil(until: PauseEnd): void {
    const { membership, replaced, settings } = this.#parts;
    membership.pauseFor(pauseMsOf(until, settings.runtime));
    replaced?.pauseUntil(until);
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nothing listens.
   * @param name which event: docs/events.md has them all
   * @param listener called with each event
   * @throws DtError `DT_INVALID_OPTION`
   * @example throttle.on("blocked", ({ reason, message }) => console.log(reason, message))
   */
  on<E extends ThrottleEvent>(name: E, listener: Listener<ThrottleEvents[E]>): () => void {
    return this.#parts.events.on(name, listener);
  }

  /**
   * The throttle at this instant, as data; changes nothing. The level is as it would be if tokens were asked for now.
   * @example console.log(throttle.status().blockedBy?.message)
   */
  status(): ThrottleStatus {
    this.#parts.asksWhy = true;
    return statusAt(this.#parts);
  }

  /**
   * Ends in order: refuses new calls (`DT_STOPPED`), serves those that wait, lets wrapped calls that have begun finish,
   * and then stops as {@link stop} does. A start under way is given up. The first call counts.
   * @param options `timeout`: how long all of this may take
   * @returns true when all callers were served, all calls finished, and the store recorded that this process left.
   *   Otherwise false: the share then stays taken until `staleAfter` has passed
   * @throws DtError `DT_INVALID_OPTION`
   * @example await throttle.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#life.drain(options);
  }

  /**
   * Stops: grants nothing more, refuses the callers that wait (`DT_STOPPED`) and leaves the group. Other members take
   * over the share at once. Takes two deadlines of the store at most. A store that does not answer removes this member
   * after the stale age. Never rejects; may be called again. Does not close the store.
   * @example await throttle.stop()
   */
  stop(): Promise<void> {
    return this.#life.stop();
  }

  /** The same as {@link stop}: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** How `acquire()` waits. */
const ONE = { ...ALL, cost: 1, timeoutMs: undefined, signal: undefined } as const;

/**
 * Creates a throttle: this process's part of a limit that all throttles of the same `name` on the same store share. The
 * first call starts it; `stop()` ends it.
 * @param options the name, the limit and the store; docs/limiters.md has an example for every limiter
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const throttle = createThrottle({ name: "mail", rate: "100/s", store })
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  return new Throttle(checkOptions(options));
}

import type { DrainOptions } from "../internal/drain.ts";
import type { Listener } from "../internal/events.ts";
import { type PauseEnd, pauseMsOf } from "../internal/pause.ts";
import { markVersion } from "../internal/version.ts";
import type { AcquireOptions } from "../limiter/acquire-options.ts";
import { callsOf } from "../limiter/calls.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Run } from "../limiter/run.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Wrap } from "../limiter/wrap.ts";
import type { StartOptions } from "../throttle/start-options.ts";
import { entranceOf } from "./entrance.ts";
import type { SemaphoreEvent, SemaphoreEvents } from "./events.ts";
import type { SemaphoreOptions, SemaphoreUpdate } from "./options.ts";
import { Parts } from "./parts.ts";
import { checkSemaphoreOptions, checkSemaphoreUpdate, checkSlotCap, type SemaphoreSettings } from "./settings.ts";
import type { SemaphoreStatus } from "./status.ts";
import { statusAt } from "./status-at.ts";

/**
 * A member's part of the slots that a fleet shares: at most `max` calls are in flight over all processes. Slots are
 * granted locally, without I/O; a background sync with the store moves them between processes. Made by
 * {@link createSemaphore}.
 */
export class Semaphore implements Limiter<Slot | undefined, Slot> {
  static {
    markVersion(Semaphore.prototype);
  }

  /** The name: semaphores of one name on one store share their slots. */
  readonly name: string;
  /** This member's id in the group. */
  readonly memberId: string;
  readonly #parts: Parts;

  /**
   * Makes one call once its slots are granted, hands it the slot, and releases the slot when the call has settled.
   * @example const answer = await semaphore.run((slot) => fetch(url, { signal: slot.signal }), { timeout: "5s" })
   */
  readonly run: Run<Slot>;

  /**
   * Turns a function into one that takes a slot for each call and releases it when the call has settled. Also a
   * standard decorator.
   * @example const recognise = semaphore.wrap(ocr, { timeout: "5s" })
   */
  readonly wrap: Wrap;

  /** Use {@link createSemaphore}. */
  constructor(settings: SemaphoreSettings) {
    this.name = settings.name;
    this.memberId = settings.memberId;
    this.#parts = new Parts(settings);
    const { asking, life } = this.#parts;
    const { run, wrap } = callsOf<Slot>(entranceOf(asking, life));
    this.run = run;
    this.wrap = wrap;
  }

  /**
   * Joins the group now, for programs that want to fail early. Otherwise the first call joins it. Resolves once the
   * store has answered. May be called again after it failed; calls that come while it is under way wait for the same
   * start. While the store does not answer it tries again for `timeout`.
   * @param options how long it tries, and what stops it
   * @throws DtError `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, `DT_INTERVAL_MISMATCH` (a throttle uses the group),
   *   `DT_STORE_CLOSED`, `DT_STORE_UNSUITABLE`, `DT_STORE_DATA`, `DT_STORE_REPLY`, `DT_INVALID_OPTION`,
   *   `DT_STOPPED`; the signal's reason
   * @example await semaphore.start({ timeout: "1m", signal: AbortSignal.timeout(45_000) })
   */
  start(options: StartOptions = {}): Promise<void> {
    return this.#parts.life.start(options);
  }

  /**
   * Grants all of `cost` slots now, or none: local, synchronous, no I/O. Undefined while callers wait in `acquire`,
   * which are served first, and until the semaphore has started, which the call begins in the background.
   * @param cost how many slots: a whole number from 1 to `max`; on a store without a queue for semaphores at most what
   *   a process is sure to get, `max / members`
   * @default 1
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   * @example using slot = semaphore.tryAcquire()
   */
  tryAcquire(cost = 1): Slot | undefined {
    return this.#parts.asking.now(cost);
  }

  /**
   * Waits until all of `cost` slots are granted at once. Starts the semaphore where it has to, within the call's time.
   * Callers of this process are served by priority, and then in the order in which they came; a costly one is not
   * passed.
   * @param cost how many slots: a whole number from 1 to `max`; on a store without a queue for semaphores at most what
   *   a process is sure to get, `max / members`
   * @default 1
   * @param options how the call waits
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_TIMEOUT`,
   *   `DT_MEMBER_FENCED`. Also the signal's reason, the error of the start, and the store's error, once validity has
   *   ended
   * @example using slot = await semaphore.acquire(1, { timeout: "2s", priority: 1 })
   */
  acquire(cost = 1, options?: AcquireOptions): Promise<Slot> {
    return this.#parts.asking.acquire(cost, options);
  }

  /**
   * Changes the limit while running. The group's capacity is the smallest `max` that a live member declares. Calls that
   * run go on: with a lower limit no call begins until fewer run, here at once, elsewhere within a sync interval. A
   * higher limit holds once all members have it. With `stored` this is the code's value, and the limit in the store
   * stays: see `setLimit`.
   * @param update the new `max`
   * @throws DtError `DT_INVALID_OPTION`
   * @example semaphore.update({ max: 20 })
   */
  update(update: SemaphoreUpdate): void {
    const max = checkSemaphoreUpdate(update);
    const { share, member, life } = this.#parts;
    share.update(max);
    if (life.state === "running") member.schedule.soon(0);
  }

  /**
   * Bounds the slots in use by this process, for this process alone and at once. Calls that run go on. The process then
   * wants no more than that, so that other processes get the rest.
   * @param n the most slots in use here: 0 for none; `undefined` or `Infinity` takes the cap away
   * @throws DtError `DT_INVALID_OPTION`
   * @example semaphore.cap(5)
   */
  cap(n?: number): void {
    const { share, queue, member, events, settings } = this.#parts;
    share.cap = checkSlotCap(n);
    const nowMs = settings.runtime.now();
    if (queue.size > 0) queue.serve(nowMs);
    if (queue.size > 0) member.schedule.short(nowMs, false);
    member.schedule.tidy(nowMs);
    if (events.has("cap")) events.emit("cap", { cap: share.cap === Number.POSITIVE_INFINITY ? undefined : share.cap });
  }

  /**
   * Stops the whole fleet: no process begins a call before. This one stops at once, the others with their next sync.
   * Calls that run go on, and callers that wait go on waiting. A pause only ever grows: an earlier end than that of one
   * under way changes nothing.
   * @param until a `Date`, milliseconds since 1970, the text of a `Retry-After` field, or a duration from now on; what
   *   is more than a day away counts as a day
   * @throws DtError `DT_INVALID_OPTION`
   * @example if (response.status === 429) semaphore.pauseUntil(response.headers.get("retry-after") ?? "1s")
   */
  pauseUntil(until: PauseEnd): void {
    const { member, settings } = this.#parts;
    member.pauseFor(pauseMsOf(until, settings.runtime));
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nothing listens.
   * @param name which event: docs/events.md has them all
   * @param listener called with each event
   * @throws DtError `DT_INVALID_OPTION`
   * @example semaphore.on("lost", ({ cost, heldMs }) => console.log(cost, heldMs))
   */
  on<E extends SemaphoreEvent>(name: E, listener: Listener<SemaphoreEvents[E]>): () => void {
    return this.#parts.events.on(name, listener);
  }

  /**
   * The semaphore at this instant, as data; changes nothing.
   * @example console.log(semaphore.status().inUse)
   */
  status(): SemaphoreStatus {
    return statusAt(this.#parts);
  }

  /**
   * Ends in order: refuses new calls (`DT_STOPPED`), serves those that wait, gives each slot back as its call ends, and
   * then stops as {@link stop} does. A start under way is given up. The first call counts.
   * @param options `timeout`: how long all of this may take
   * @returns true when all callers were served, all slots were released, and the store recorded that this process left
   * @throws DtError `DT_INVALID_OPTION`
   * @example await semaphore.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#parts.life.drain(options);
  }

  /**
   * Stops: grants nothing more, refuses the callers that wait (`DT_STOPPED`), and aborts the signals of open slots. It
   * leaves the group if nothing runs. Calls that run are still counted and reported; once the last one has ended, it
   * leaves the group. If the process ends before, the store removes this member after the stale age. Never rejects; may
   * be called again. Does not close the store.
   * @example await semaphore.stop()
   */
  stop(): Promise<void> {
    return this.#parts.life.stop();
  }

  /** The same as {@link stop}: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Creates a semaphore: this process's part of the slots that all semaphores of the same `name` on the same store share.
 * The first call starts it; `stop()` ends it.
 * @param options the name, the limit and the store; docs/limiters.md has an example for every limiter
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy; `DT_STORE_UNSUITABLE`
 * @example const semaphore = createSemaphore({ name: "ocr", max: 50, store })
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  return new Semaphore(checkSemaphoreOptions(options));
}

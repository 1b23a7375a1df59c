import { DtError } from "../errors/dt-error.ts";
import type { DrainOptions } from "../internal/drain.ts";
import type { Events, Listener } from "../internal/events.ts";
import { markVersion } from "../internal/version.ts";
import { ACQUIRE_OPTIONS, type AcquireOptions } from "../limiter/acquire-options.ts";
import { callsOf } from "../limiter/calls.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Run } from "../limiter/run.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Wrap } from "../limiter/wrap.ts";
import type { StartOptions } from "../throttle/start-options.ts";
import { type SemaphoreEvent, type SemaphoreEvents, semaphoreEvents } from "./events.ts";
import type { SemaphoreOptions, SemaphoreUpdate } from "./options.ts";
import { checkSemaphoreOptions, checkSemaphoreUpdate, checkSlotCap, type SemaphoreSettings } from "./settings.ts";
import type { SemaphoreStatus } from "./status.ts";

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
  readonly #events: Events<SemaphoreEvents>;

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
    this.#events = semaphoreEvents(settings.name, settings.memberId);
    const { run, wrap } = callsOf<Slot>({
      options: ACQUIRE_OPTIONS,
      whenLimited: ["wait", "throw", "skip"],
      check: () => undefined,
      begin: () => () => undefined,
      admit: () => Promise.reject(unfinished()),
    });
    this.run = run;
    this.wrap = wrap;
  }

  start(_options: StartOptions = {}): Promise<void> {
    return Promise.reject(unfinished());
  }

  tryAcquire(_cost = 1): Slot | undefined {
    throw unfinished();
  }

  acquire(_cost = 1, _options?: AcquireOptions): Promise<Slot> {
    return Promise.reject(unfinished());
  }

  update(update: SemaphoreUpdate): void {
    checkSemaphoreUpdate(update);
  }

  cap(n?: number): void {
    checkSlotCap(n);
  }

  status(): SemaphoreStatus {
    throw unfinished();
  }

  on<E extends SemaphoreEvent>(name: E, listener: Listener<SemaphoreEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  drain(_options: DrainOptions = {}): Promise<boolean> {
    return Promise.resolve(true);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** This file is the outline: what grants slots follows. */
function unfinished(): DtError {
  return new DtError("DT_STOPPED", "the semaphore is not made yet");
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

import type { DrainOptions, DtError, Listener, Runtime, WithoutTimeout } from "@dt/core";
import { Drain, type Events, markVersion, orUndefined } from "@dt/core/internal";
import type { CalleeReport, Outcome } from "../outcome/outcome.ts";
import { Admission } from "./admission.ts";
import { Controller } from "./controller.ts";
import { type ConcurrencyLimitEvent, type ConcurrencyLimitEvents, concurrencyLimitEvents } from "./events.ts";
import { Handover } from "./handover.ts";
import { OpenSlots } from "./open-slots.ts";
import {
  type ConcurrencyLimitOptions,
  type ConcurrencyLimitSettings,
  checkConcurrencyLimit,
  checkRequest,
  checkSlot,
  type SlotOptions,
  type SlotRequest,
} from "./options.ts";
import { findPartition, type Partition } from "./partitions.ts";
import { acquireTimeout, Shed, stoppedError } from "./shed.ts";
import { Slot, type SlotHome } from "./slot.ts";
import { type ConcurrencyLimitStatus, partitionStatus } from "./status.ts";
import { Waiters } from "./waiters.ts";
import { type LimitWrap, wrapWithSlots } from "./wrap.ts";

/**
 * Lets only so many calls be in flight at once, and finds out how many from how they end. Made by
 * {@link createConcurrencyLimit}.
 */
export class ConcurrencyLimit {
  static {
    markVersion(ConcurrencyLimit.prototype);
  }

  readonly name: string;
  readonly #settings: ConcurrencyLimitSettings;
  readonly #runtime: Runtime;
  readonly #events: Events<ConcurrencyLimitEvents>;
  readonly #admission: Admission;
  readonly #waiters: Waiters;
  readonly #handover: Handover;
  readonly #controller: Controller;
  readonly #openSlots: OpenSlots | undefined;
  readonly #shed: Shed;
  readonly #drain: Drain;
  readonly #unnamed: Partition;
  readonly #home: SlotHome = {
    settled: (slot, partition, outcome, report) => this.#settled(slot, partition, outcome, report),
    begun: (slot) => this.#begun(slot),
  };
  #state: ConcurrencyLimitStatus["state"] = "running";
  #granted = 0;

  /** Use {@link createConcurrencyLimit}. */
  constructor(settings: ConcurrencyLimitSettings) {
    const { name, runtime, algorithm, maxLag, maxHoldMs, maxWaiters, acquireTimeoutMs, order, partitions } = settings;
    this.#settings = settings;
    this.#runtime = runtime;
    this.name = name;
    this.#events = concurrencyLimitEvents(name);
    this.#shed = new Shed(this.#events);
    this.#unnamed = findPartition(partitions, undefined);
    const admission = new Admission(partitions);
    this.#admission = admission;
    this.#controller = new Controller({
      algorithm,
      runtime,
      maxLag,
      busy: () => admission.calls > 0,
      closed: (window, late) => {
        if (this.#events.has("window")) this.#events.emit("window", { window, late, limit: this.#controller.limit });
      },
    });
    admission.limit = this.#controller.limit;
    const timeoutError = (): DtError => acquireTimeout(name, acquireTimeoutMs);
    this.#waiters = new Waiters({ runtime, maxWaiters, acquireTimeoutMs, timeoutError, order }, admission);
    this.#handover = new Handover(runtime, admission, this.#waiters, (...call) => this.#grant(...call));
    this.#waiters.onGiveUp = ({ want }) => {
      if (!want.signal?.aborted) this.#shed.tell("timeout", want);
      // Whoever was behind a costly one may fit.
      this.#handover.serve();
    };
    if (maxHoldMs !== undefined)
      this.#openSlots = new OpenSlots(runtime, maxHoldMs, (slot, heldMs) => this.#overdue(slot, heldMs));
    this.#drain = new Drain(runtime, () => (this.#state === "stopped" ? 0 : this.#waiters.size + admission.calls));
    this.#waiters.onEmpty = () => this.#drain.look();
  }

  /** Cost that may be in flight at once, not rounded. */
  get limit(): number {
    return this.#controller.limit;
  }

  /** Cost in flight. */
  get inflight(): number {
    return this.#admission.inflight;
  }

  /**
   * A slot, or undefined when as much is in flight as may be, when others wait for it, and once stopped: local,
   * synchronous, no I/O. The slot is to be settled.
   * @param request what the call weighs, or an object with that and more
   * @throws DtError `DT_INVALID_OPTION`
   */
  tryAcquire(request?: SlotRequest | number): Slot | undefined {
    if (request === undefined) return this.#try(1, 0, this.#unnamed);
    const options = typeof request === "number" ? { cost: request } : request;
    const { cost, priority } = checkRequest(options);
    return this.#try(cost, priority, findPartition(this.#settings.partitions, options.partition));
  }

  /**
   * Waits for a slot, which is to be settled. The most important are served first, those of one priority in `order`.
   * Resolves to undefined when the call's own `timeout` passed first. Rejects with the signal's reason when `signal`
   * aborts, and with a DtError: `DT_INVALID_OPTION`, `DT_STOPPED`, `DT_QUEUE_FULL` (as many wait as may, or somebody
   * more important took its place), `DT_TIMEOUT`.
   */
  acquire(options?: WithoutTimeout<SlotOptions>): Promise<Slot>;
  acquire(options: SlotOptions): Promise<Slot | undefined>;
  acquire(options?: SlotOptions): Promise<Slot | undefined> {
    // The common case stands outside the try block below: within, it compiles to slower code.
    if (options === undefined && this.#state === "running") {
      const slot = this.#enter(1, 0, this.#unnamed);
      if (slot !== undefined) return Promise.resolve(slot);
    }
    return this.#acquireWithCare(options ?? {});
  }

  #acquireWithCare(options: SlotOptions): Promise<Slot | undefined> {
    try {
      const { cost, priority, timeoutMs, signal, held } = checkSlot(options);
      const partition = findPartition(this.#settings.partitions, options.partition);
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (this.#state !== "running") throw stoppedError(this.name, this.#state);
      const slot = this.#enter(cost, priority, partition, held);
      if (slot) return Promise.resolve(slot);
      if (timeoutMs === 0) {
        this.#refuse(cost, priority, partition);
        return Promise.resolve(undefined);
      }
      return this.#join({ cost, priority, partition, timeoutMs, signal, held });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Turns a function into one that has a slot for each call, and says how the call ended. Also a standard decorator:
   * `@limit.wrap`, or `@limit.wrap({ cost, timeout })`. The function returned settles as {@link acquire} does while it
   * waits: it resolves to undefined when its own `timeout` has passed, and rejects with the same errors; the function
   * wrapped is then not called.
   * @throws DtError `DT_INVALID_OPTION`
   */
  readonly wrap: LimitWrap = wrapWithSlots({
    check: (options) => {
      checkSlot(options);
      findPartition(this.#settings.partitions, options.partition);
    },
    acquire: (options) => (options === undefined ? this.acquire() : this.acquire(options)),
  });

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends ConcurrencyLimitEvent>(name: E, listener: Listener<ConcurrencyLimitEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data; moves nothing. */
  status(): ConcurrencyLimitStatus {
    const { limit, inflight, calls } = this.#admission;
    const { windows, lateWindows, state, lastError } = this.#controller;
    return {
      state: this.#state,
      name: this.name,
      algorithm: this.#settings.algorithm.name,
      limit,
      inflight,
      calls,
      waiting: this.#waiters.size,
      granted: this.#granted,
      shed: this.#shed.count,
      windows,
      lateWindows,
      partitions: partitionStatus(this.#settings.partitions, limit),
      algorithmState: state,
      lastError,
    };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`; `tryAcquire` gives undefined), serves those who wait, waits for
   * the calls in flight, and then stops as {@link stop} does, after `timeout` at the latest. Resolves to true when all
   * were served and every slot was settled, false when time was up or `stop` was called meanwhile. May be called again:
   * the first call counts. Rejects with a DtError `DT_INVALID_OPTION`.
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
   * Refuses those who wait (`DT_STOPPED`) and grants nothing more. Slots that are out may still be settled; nothing
   * follows from it. Never rejects. Idempotent.
   */
  async stop(): Promise<void> {
    if (this.#state === "stopped") return;
    this.#state = "stopped";
    this.#controller.stop();
    this.#openSlots?.stop();
    this.#handover.stop();
    this.#waiters.failAll(stoppedError(this.name, "stopped"));
    this.#drain.look();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #try(cost: number, priority: number, partition: Partition): Slot | undefined {
    if (this.#state !== "running") return undefined;
    const slot = this.#enter(cost, priority, partition);
    if (slot === undefined) this.#refuse(cost, priority, partition);
    return slot;
  }

  /** A slot for a newcomer, unless it does not fit or others come first. */
  #enter(cost: number, priority: number, partition: Partition, held = false): Slot | undefined {
    const nowMs = this.#runtime.now();
    if (!this.#admission.fits(cost, priority, partition, nowMs)) return undefined;
    const waits = this.#waiters.size > 0 && this.#waiters.aheadOf(priority, partition);
    return waits ? undefined : this.#grant(cost, partition, nowMs, held);
  }

  #grant(cost: number, partition: Partition, nowMs: number, held: boolean): Slot {
    const admission = this.#admission;
    const { window } = this.#controller;
    if (admission.calls === 0) this.#controller.wake(nowMs);
    admission.enter(cost, partition);
    if (held) admission.hold(cost);
    if (admission.underWay > window.maxInflight) window.maxInflight = admission.underWay;
    this.#granted += 1;
    const slot = new Slot(this.#home, cost, partition, nowMs, held);
    this.#openSlots?.add(slot);
    return slot;
  }

  #begun(slot: Slot): number {
    const admission = this.#admission;
    const { window } = this.#controller;
    admission.release(slot.cost);
    if (admission.underWay > window.maxInflight) window.maxInflight = admission.underWay;
    this.#openSlots?.again(slot);
    return this.#runtime.now();
  }

  /** Somebody waits or was refused. Where slots are held, what they wait for holds calls back, and not the limit. */
  #heldBack(): void {
    if (this.#admission.heldCalls === 0) this.#controller.window.limited = true;
  }

  #join(want: Parameters<Waiters["join"]>[0]): Promise<Slot | undefined> {
    this.#heldBack();
    try {
      const joined = this.#waiters.join(want, (other) => this.#shed.tell("displaced", other));
      return orUndefined(joined, want.timeoutMs);
    } catch (error) {
      this.#shed.tell("full", want);
      throw error;
    } finally {
      // There may be room that is kept free for another partition, and only for a while.
      if (this.#admission.partitioned) this.#handover.serve();
    }
  }

  #settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void {
    const admission = this.#admission;
    if (slot.held) admission.release(slot.cost);
    admission.leave(slot.cost, partition);
    this.#openSlots?.remove(slot);
    const nowMs = this.#runtime.now();
    const controller = this.#controller;
    controller.window.ended(nowMs - slot.startedMs, slot.cost, outcome, report);
    // Mostly there is nothing more to do, and nothing more is done.
    if (nowMs >= controller.closesAtMs || this.#waiters.size > 0 || this.#state !== "running") this.#follow(nowMs);
  }

  /** What may follow from the end of a call: another limit, a slot for somebody who waits, the end of a drain. */
  #follow(nowMs: number): void {
    if (this.#state === "stopped") return;
    const admission = this.#admission;
    const before = admission.limit;
    const limited = this.#waiters.size > 0 && admission.heldCalls === 0;
    if (this.#controller.look(nowMs, admission.underWay, limited)) admission.limit = this.#controller.limit;
    this.#handover.serve();
    if (this.#state === "draining") this.#drain.look();
    if (before !== admission.limit && this.#events.has("limit"))
      this.#events.emit("limit", { limit: admission.limit, before, inflight: admission.inflight });
  }

  #overdue(slot: Slot, heldMs: number): void {
    slot.overload();
    if (this.#events.has("overdue"))
      this.#events.emit("overdue", { cost: slot.cost, partition: slot.partition, heldMs });
  }

  #refuse(cost: number, priority: number, partition: Partition): void {
    this.#heldBack();
    if (this.#admission.partitioned) this.#admission.refused(partition, this.#runtime.now());
    this.#shed.tell("limit", { cost, priority, partition });
  }
}

/**
 * Creates a concurrency limit: only so much may be in flight at once, and how much follows from how calls end.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createConcurrencyLimit(options: ConcurrencyLimitOptions = {}): ConcurrencyLimit {
  return new ConcurrencyLimit(checkConcurrencyLimit(options));
}

import type { DrainOptions, Limiter, Listener, Run } from "@dt/core";
import {
  admitBy,
  type CallOptions,
  type Calls,
  callsOf,
  Drain,
  type Events,
  markVersion,
  SKIPPED,
} from "@dt/core/internal";
import { checkCost } from "../cost.ts";
import type { Rule } from "../outcome/classify.ts";
import { checkClassifier } from "../outcome/default-classifier.ts";
import { type Classified, settling } from "../outcome/run.ts";
import { type ConcurrencyLimitEvent, type ConcurrencyLimitEvents, concurrencyLimitEvents } from "./events.ts";
import {
  type ConcurrencyLimitOptions,
  type ConcurrencyLimitSettings,
  checkConcurrencyLimit,
  checkSlot,
  checkSlotRequest,
  type SlotCallOptions,
  type SlotOptions,
  type SlotRequest,
} from "./options.ts";
import { findPartition, type Partition } from "./partitions.ts";
import { limitedError, stoppedError, timeoutError } from "./refusals.ts";
import type { Slot } from "./slot.ts";
import { Slots } from "./slots.ts";
import { type ConcurrencyLimitStatus, partitionStatus } from "./status.ts";

type SlotCalls = Calls<Slot, number, SlotCallOptions, "wait" | "throw" | "skip", Classified>;

/**
 * Lets only so many calls be in flight at once, and finds out how many from how they end. Made by
 * {@link createConcurrencyLimit}.
 */
export class ConcurrencyLimit implements Limiter<Slot | undefined, Slot, number, SlotCallOptions> {
  static {
    markVersion(ConcurrencyLimit.prototype);
  }

  readonly name: string;
  readonly #settings: ConcurrencyLimitSettings;
  readonly #events: Events<ConcurrencyLimitEvents>;
  readonly #slots: Slots;
  readonly #drain: Drain;
  readonly #unnamed: Partition;

  /** Use {@link createConcurrencyLimit}. */
  constructor(settings: ConcurrencyLimitSettings) {
    const { name, runtime, partitions } = settings;
    this.name = name;
    this.#settings = settings;
    this.#events = concurrencyLimitEvents(name);
    this.#unnamed = findPartition(partitions, undefined);
    const slots = new Slots(settings, this.#events);
    this.#slots = slots;
    this.#drain = new Drain(runtime, () =>
      slots.state === "stopped" ? 0 : slots.waiters.size + slots.admission.calls,
    );
    slots.onLeft = () => this.#drain.look();
    const { run, wrap } = this.#entrance();
    this.run = run;
    this.wrap = wrap;
  }

  /** The cost that may be in flight at once, not rounded. */
  get limit(): number {
    return this.#slots.controller.limit;
  }

  /** The cost in flight. */
  get inflight(): number {
    return this.#slots.admission.inflight;
  }

  /**
   * Answers at once: a slot, or undefined when as much is in flight as may be, or when other callers wait for it. The
   * slot is to be settled.
   * @param cost what the call weighs, more than 0. One that weighs more than the limit is made alone
   * @param options `priority` and `partition`
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_STOPPED`
   * @example const slot = limit.tryAcquire()
   */
  tryAcquire(cost = 1, options?: SlotRequest): Slot | undefined {
    const slot = this.#atOnce(cost, options);
    if (slot === undefined) this.#slots.tally.answeredNo();
    return slot;
  }

  #atOnce(cost: number, options: SlotRequest | undefined): Slot | undefined {
    if (options === undefined) return this.#try(checkCost(cost), 0, this.#unnamed);
    const { priority } = checkSlotRequest(options);
    return this.#try(checkCost(cost), priority, findPartition(this.#settings.partitions, options.partition));
  }

  /**
   * Waits for a slot, which is to be settled. The highest priority is served first, and calls of one priority in
   * `order`.
   * @param cost what the call weighs, more than 0. One that weighs more than the limit is made alone
   * @param options `signal`, `timeout`, `priority`, `partition`, `held`
   * @throws DtError `DT_TIMEOUT`, `DT_STOPPED`, `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_QUEUE_FULL`: as many wait
   *   as may, or a call of a higher priority took the place. The signal's reason
   * @example using slot = await limit.acquire(1, { timeout: "2s" })
   */
  acquire(cost = 1, options?: SlotOptions): Promise<Slot> {
    // The common case stands outside the try block below: within, it compiles to slower code.
    if (options === undefined && typeof cost === "number" && cost > 0 && this.#slots.state === "running") {
      const slot = cost < Number.POSITIVE_INFINITY ? this.#slots.enter(cost, 0, this.#unnamed, false) : undefined;
      if (slot !== undefined) return Promise.resolve(slot);
    }
    return this.#acquireWithCare(cost, options);
  }

  /**
   * Makes one call once it has a slot, and settles the slot by how the call ended.
   * @param call the function to be called, with the slot
   * @param options `cost`, `signal`, `timeout`, `priority`, `partition`, `whenLimited`, `classify`
   * @throws DtError what `acquire` rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const answer = await limit.run(() => fetch(url), { timeout: "2s" })
   */
  readonly run: Run<Slot, number, SlotCallOptions & Classified>;

  /**
   * Turns a function into one each of whose calls has a slot, as `run` makes it.
   * @param fn the function, or the method that is decorated
   * @param options those of `run`, as values or as functions of the call's arguments
   * @throws DtError `DT_INVALID_OPTION`; each call rejects as `run` does
   * @example const get = limit.wrap((url: string) => fetch(url), { priority: 5 })
   */
  readonly wrap: SlotCalls["wrap"];

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param event `"limit"`, `"window"`, `"shed"` or `"overdue"`
   * @param listener the function that receives the event's data
   * @returns the function that ends it
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example limit.on("limit", ({ before, limit }) => console.log(before, limit))
   */
  on<E extends ConcurrencyLimitEvent>(event: E, listener: Listener<ConcurrencyLimitEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /** The limit at this instant, as data. */
  status(): ConcurrencyLimitStatus {
    const { admission, controller, waiters, tally, shed, state, isLimiting: limiting } = this.#slots;
    return {
      kind: "concurrency",
      state,
      name: this.name,
      algorithm: this.#settings.algorithm.name,
      limit: admission.limit,
      inflight: admission.inflight,
      inflightCalls: admission.calls,
      waiting: waiters.size,
      maxWaiters: this.#settings.maxWaiters,
      limiting,
      calls: tally.counts(),
      shed: shed.count,
      windows: controller.windows,
      lateWindows: controller.lateWindows,
      partitions: partitionStatus(this.#settings.partitions, admission.limit),
      algorithmState: controller.state,
      lastError: controller.lastError,
    };
  }

  /**
   * Ends in order: refuses new callers, serves those that wait, waits for the calls in flight, and stops.
   * @param options `timeout`: the most time that this takes
   * @returns true when all were served and every slot was settled; false when time was up or `stop` was called
   *   meanwhile
   * @throws DtError `DT_INVALID_OPTION`
   * @example await limit.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    const slots = this.#slots;
    return this.#drain.end(options, {
      refuse: () => {
        if (slots.state === "running") slots.state = "draining";
      },
      isDraining: () => slots.state === "draining",
      stop: () => this.stop(),
    });
  }

  /**
   * Ends at once: refuses the callers that wait and every new one with `DT_STOPPED`. Slots that are out may still be
   * settled. Then the limit is written to the store, with the option `learned`. Never rejects.
   */
  async stop(): Promise<void> {
    if (this.#slots.state === "stopped") return;
    this.#slots.stop();
    this.#slots.waiters.failAll(stoppedError(this.name, "stopped"));
    this.#drain.look();
    await this.#slots.learned?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #try(cost: number, priority: number, partition: Partition): Slot | undefined {
    const slots = this.#slots;
    if (slots.state !== "running") throw stoppedError(this.name, slots.state);
    const slot = slots.enter(cost, priority, partition, false);
    if (slot === undefined) slots.refuse(cost, priority, partition);
    return slot;
  }

  #acquireWithCare(cost: number, options: SlotOptions = {}): Promise<Slot> {
    try {
      const { priority, timeoutMs, signal, held } = checkSlot(options);
      checkCost(cost);
      const partition = findPartition(this.#settings.partitions, options.partition);
      if (signal?.aborted) return Promise.reject(signal.reason);
      const slots = this.#slots;
      if (slots.state !== "running") throw stoppedError(this.name, slots.state);
      const slot = slots.enter(cost, priority, partition, held);
      if (slot) return Promise.resolve(slot);
      if (timeoutMs !== 0) return slots.join({ cost, priority, partition, timeoutMs, signal, held });
      slots.refuse(cost, priority, partition);
      slots.tally.decided("timedOut", 0, cost, priority);
      throw timeoutError(this.name, 0);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #entrance(): SlotCalls {
    return callsOf({
      options: ["signal", "timeout", "priority", "partition"],
      fixed: ["classify"],
      whenLimited: ["wait", "throw", "skip"],
      check: (options) => {
        const { cost, classify, whenLimited: _, ...slot } = options;
        if (cost !== undefined) checkCost(cost);
        checkClassifier(classify as Rule | undefined);
        checkSlot(slot as SlotOptions);
        findPartition(this.#settings.partitions, slot["partition"] as string | undefined);
      },
      begin: () => this.#drain.begin(),
      admit: (options, whenLimited) => {
        const { cost, classify: _, whenLimited: __, ...slot } = options as CallOptions & SlotCallOptions;
        return admitBy<Slot>(whenLimited, slot.timeout, {
          wait: () => this.acquire(cost as number | undefined, slot),
          now: () => this.#now(cost as number | undefined, slot) ?? SKIPPED,
          limited: () => limitedError(this.name),
        });
      },
      make: settling(this.#settings.classify),
    });
  }

  /** A slot without waiting, for a call whose options may be functions of its arguments. */
  #now(cost = 1, options: SlotCallOptions): Slot | undefined {
    const { signal, partition } = options;
    const { priority } = checkSlot(options);
    if (signal?.aborted) throw signal.reason;
    const slot = this.#atOnce(cost, { priority, partition });
    if (slot === undefined) this.#slots.tally.decided("refused", 0, cost, priority);
    return slot;
  }
}

/**
 * Creates a concurrency limit: only so much may be in flight at once, and how much follows from how calls end. It needs
 * no start.
 * @param options how the limit is found, and how callers wait
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example const limit = createConcurrencyLimit({ name: "search" })
 */
export function createConcurrencyLimit(options: ConcurrencyLimitOptions = {}): ConcurrencyLimit {
  return new ConcurrencyLimit(checkConcurrencyLimit(options));
}

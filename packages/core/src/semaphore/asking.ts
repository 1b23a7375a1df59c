import type { Events, Topic } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import { type AcquireOptions, type AcquireSettings, checkAcquireOptions } from "../limiter/acquire-options.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { fencedError } from "../throttle/errors.ts";
import { checkSlotCost, limitedError, timeoutError } from "./errors.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { LimitWatch } from "./limit-watch.ts";
import type { OpenSlots } from "./open-slots.ts";
import type { SemaphoreSettings } from "./settings.ts";
import type { SlotMember } from "./slot-member.ts";
import type { SlotQueue } from "./slot-queue.ts";
import type { SlotShare } from "./slot-share.ts";
import { whyNot } from "./why-not.ts";

/** What callers ask of. */
export interface AskingSources {
  readonly settings: SemaphoreSettings;
  readonly events: Events<SemaphoreEvents>;
  readonly share: SlotShare;
  readonly member: SlotMember;
  readonly open: OpenSlots;
  readonly queue: SlotQueue;
  readonly life: Lifecycle;
  readonly tally: Tally;
  readonly watch: LimitWatch;
}

/** The one way to slots: at once, or by the queue. */
export class Asking {
  readonly #settings: SemaphoreSettings;
  readonly #runtime: Runtime;
  readonly #granted: Topic<SemaphoreEvents["grant"]>;
  readonly #share: SlotShare;
  readonly #member: SlotMember;
  readonly #open: OpenSlots;
  readonly #queue: SlotQueue;
  readonly #life: Lifecycle;
  readonly #tally: Tally;
  readonly #watch: LimitWatch;

  constructor({ settings, events, share, member, open, queue, life, tally, watch }: AskingSources) {
    this.#settings = settings;
    this.#runtime = settings.runtime;
    this.#granted = events.topic("grant");
    this.#share = share;
    this.#member = member;
    this.#open = open;
    this.#queue = queue;
    this.#life = life;
    this.#tally = tally;
    this.#watch = watch;
  }

  /**
   * A slot now, or undefined. The semaphore starts in the background, if it has to.
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   */
  now(cost: number): Slot | undefined {
    const slot = this.#try(cost);
    if (slot === undefined) this.#tally.answeredNo();
    return slot;
  }

  /** The same for a call of `run` that does not wait: listeners are told of its refusal. */
  nowOrRefused(cost: number, priority: number): Slot | undefined {
    const slot = this.#try(cost);
    if (slot === undefined) this.refused(cost, priority);
    return slot;
  }

  /** A call of `run` that does not wait is refused. */
  refused(cost: number, priority: number): void {
    this.#tally.decided("refused", 0, cost, priority);
  }

  /** Settles as documented at `Semaphore.acquire`. */
  acquire(cost: number, options: AcquireOptions | undefined): Promise<Slot> {
    try {
      const settings = checkAcquireOptions(options);
      const { signal } = settings;
      if (signal?.aborted) return Promise.reject(signal.reason);
      this.#life.assertOpen();
      checkSlotCost(cost, this.#share);
      const nowMs = this.#runtime.now();
      const slot = this.#take(cost, nowMs);
      return slot ? Promise.resolve(slot) : this.#wait(cost, settings, nowMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The `DT_LIMITED` of a call that takes so many slots. */
  limited(cost: number) {
    return limitedError(this.#settings.name, cost, whyNot(this.#member, this.#runtime.now()));
  }

  /**
   * Waits for the start, for a call of `run` that waits for nothing else. Where that fails, the call has come out.
   * @throws DtError `DT_STOPPED`, `DT_TIMEOUT` where the call has a time of its own; as the start does
   */
  async started(cost: number, { timeoutMs, signal, priority }: AcquireSettings): Promise<boolean> {
    signal?.throwIfAborted();
    this.#life.assertOpen();
    const sinceMs = this.#runtime.now();
    try {
      const isStarted = await this.#life.startedWithin(timeoutMs, signal);
      if (!isStarted && timeoutMs !== undefined) throw this.#timedOut(cost, timeoutMs);
      return isStarted;
    } catch (error) {
      this.#tally.failed(error, signal, this.#runtime.now() - sinceMs, cost, priority);
      throw error;
    }
  }

  /** The `DT_TIMEOUT` of a call that takes so many slots. */
  #timedOut(cost: number, timeoutMs: number) {
    return timeoutError(this.#settings.name, cost, timeoutMs, whyNot(this.#member, this.#runtime.now()));
  }

  /** @throws DtError `DT_INVALID_COST` */
  check(cost: unknown): number {
    return checkSlotCost(cost, this.#share);
  }

  #try(cost: number): Slot | undefined {
    if (cost !== 1) checkSlotCost(cost, this.#share);
    const nowMs = this.#runtime.now();
    const slot = this.#take(cost, nowMs);
    if (slot === undefined) this.#missed(cost, nowMs);
    return slot;
  }

  #take(cost: number, nowMs: number): Slot | undefined {
    this.#member.lookForSleep(nowMs);
    const share = this.#share;
    if (this.#queue.size > 0 || share.inUse + cost > share.usable(nowMs)) return undefined;
    const slot = this.#open.open(cost, nowMs);
    share.note(nowMs);
    this.#tally.granted += 1;
    if (this.#granted.observed) this.#granted.emit({ cost, waitedMs: 0 });
    return slot;
  }

  #wait(cost: number, settings: AcquireSettings, nowMs: number): Promise<Slot> {
    const { signal, timeoutMs, priority } = settings;
    // A listener that was told of the machine's sleep may have aborted or stopped.
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#life.state !== "running") this.#life.startForCallers();
    if (this.#member.isFenced) throw fencedError(this.#settings.memberId);
    this.#watch.missed(nowMs);
    if (timeoutMs === 0) {
      this.#short(cost, nowMs);
      this.#tally.decided("timedOut", 0, cost, priority);
      throw this.#timedOut(cost, 0);
    }
    const promise = this.#queue.join({ cost, timeoutMs, signal, priority });
    this.#share.note(nowMs);
    this.#member.schedule.short(nowMs, false);
    return promise;
  }

  #missed(cost: number, nowMs: number): void {
    this.#watch.missed(nowMs);
    if (this.#life.state === "running") this.#short(cost, nowMs);
    else this.#life.startInBackground();
  }

  /** A call that does not wait found nothing: it counts as wanted all the same. */
  #short(cost: number, nowMs: number): void {
    if (this.#queue.size > 0) return;
    this.#share.note(nowMs, cost);
    this.#member.schedule.short(nowMs, true);
  }
}

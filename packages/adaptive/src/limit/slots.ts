import type { DtError } from "@dt/core";
import { type Events, Tally } from "@dt/core/internal";
import { LearnedValue } from "../learned/learned-value.ts";
import type { CalleeReport, Outcome } from "../outcome/outcome.ts";
import { Admission } from "./admission.ts";
import { Controller } from "./controller.ts";
import type { ConcurrencyLimitEvents } from "./events.ts";
import { Handover } from "./handover.ts";
import { OpenSlots } from "./open-slots.ts";
import type { ConcurrencyLimitSettings } from "./options.ts";
import type { Partition } from "./partitions.ts";
import { lostError, overdueError, timeoutError } from "./refusals.ts";
import { Shed } from "./shed.ts";
import { lose, Slot, type SlotHome } from "./slot.ts";
import { type SlotWait, Waiters } from "./waiters.ts";

/** The slots of one limit: grants them, hands them over to callers that wait, and follows how their calls end. */
export class Slots {
  readonly admission: Admission;
  readonly waiters: Waiters;
  readonly controller: Controller;
  readonly shed: Shed;
  readonly learned: LearnedValue | undefined;
  state: "running" | "draining" | "stopped" = "running";
  readonly tally: Tally;
  /** Called when a drain may be over: the last caller left the queue, or a slot was settled. */
  onLeft: () => void = () => undefined;
  readonly #settings: ConcurrencyLimitSettings;
  readonly #events: Events<ConcurrencyLimitEvents>;
  readonly #handover: Handover;
  readonly #openSlots: OpenSlots | undefined;
  /** Open slots whose signal was looked at. */
  readonly #watched = new Set<Slot>();
  readonly #home: SlotHome;

  constructor(settings: ConcurrencyLimitSettings, events: Events<ConcurrencyLimitEvents>) {
    const { name, runtime, algorithm, maxLag, maxHoldMs, maxWaiters, acquireTimeoutMs, order, partitions } = settings;
    this.#settings = settings;
    this.#events = events;
    const isStopped = (): boolean => this.state === "stopped";
    this.#home = {
      settled: (slot, partition, outcome, report) => this.#settled(slot, partition, outcome, report),
      begun: (slot) => this.#begun(slot),
      watched: (slot) => {
        if (isStopped()) lose(slot, lostError(name));
        else this.#watched.add(slot);
      },
      get stopped() {
        return isStopped();
      },
    };
    this.tally = new Tally(events.topic("decided"));
    this.shed = new Shed(events);
    this.admission = new Admission(partitions);
    this.controller = new Controller({
      algorithm,
      runtime,
      maxLag,
      busy: () => this.admission.calls > 0,
      closed: (window, late) => {
        if (events.has("window")) events.emit("window", { window, late, limit: this.controller.limit });
      },
    });
    this.#setLimit();
    this.learned =
      settings.learned &&
      new LearnedValue(settings.learned, name, {
        ...{ number: "limit", runtime },
        value: () => this.controller.limit,
        startFrom: (limit) => this.#startFrom(limit),
      });
    const queue = {
      runtime,
      maxWaiters,
      acquireTimeoutMs,
      order,
      timeoutError: (_: SlotWait, timeoutMs: number | undefined): DtError => timeoutError(name, timeoutMs ?? 0),
    };
    this.waiters = new Waiters(queue, this.admission);
    this.#handover = new Handover(runtime, this.admission, this.waiters, (...call) => this.#grant(...call));
    this.waiters.onDecided = (result, { cost, priority }, waitedMs) => {
      if (this.isHeldUp) this.tally.limited(runtime.now());
      this.tally.decided(result, waitedMs, cost, priority);
    };
    this.waiters.onGiveUp = ({ want }) => {
      if (!want.signal?.aborted) this.shed.report("timeout", want);
      // A caller behind a costly one may fit.
      this.#handover.serve();
    };
    this.waiters.onEmpty = () => this.onLeft();
    if (maxHoldMs !== undefined)
      this.#openSlots = new OpenSlots(runtime, maxHoldMs, (slot, heldMs) => this.#overdue(slot, heldMs));
  }

  /** A slot for a newcomer, unless it does not fit or others come first. */
  enter(cost: number, priority: number, partition: Partition, held: boolean): Slot | undefined {
    const nowMs = this.#settings.runtime.now();
    if (!this.admission.fits(cost, priority, partition, nowMs)) return undefined;
    const waits = this.waiters.size > 0 && this.waiters.aheadOf(priority, partition);
    if (waits) return undefined;
    this.tally.granted += 1;
    return this.#grant(cost, partition, nowMs, held);
  }

  /** True where it is the limit that keeps callers waiting, and not what held slots wait for. */
  get isHeldUp(): boolean {
    return this.admission.heldCalls === 0;
  }

  /** True where the limit made a call wait, or refused one, within the last 30 s, or while one waits. */
  get isLimiting(): boolean {
    return (this.waiters.size > 0 && this.isHeldUp) || this.tally.isLimiting(this.#settings.runtime.now());
  }

  /** A caller that does not wait got no slot. */
  refuse(cost: number, priority: number, partition: Partition): void {
    this.#heldBack();
    if (this.admission.partitioned) this.admission.refused(partition, this.#settings.runtime.now());
    this.shed.report("limit", { cost, priority, partition });
  }

  /**
   * Waits for a slot in the queue.
   * @throws DtError `DT_QUEUE_FULL`
   */
  join(want: Omit<SlotWait, "order">): Promise<Slot> {
    this.#heldBack();
    try {
      return this.waiters.join(want, (other) => this.shed.report("displaced", other));
    } catch (error) {
      this.shed.report("full", want);
      this.tally.decided("refused", 0, want.cost, want.priority);
      throw error;
    } finally {
      // There may be room that is kept free for another partition, and only for a while.
      if (this.admission.partitioned) this.#handover.serve();
    }
  }

  /** Grants nothing more, and the signals of open slots fire. */
  stop(): void {
    this.state = "stopped";
    this.controller.stop();
    this.#openSlots?.stop();
    this.#handover.stop();
    this.#settings.semaphore?.cap();
    for (const slot of this.#watched) lose(slot, lostError(this.#settings.name));
    this.#watched.clear();
  }

  #grant(cost: number, partition: Partition, nowMs: number, held: boolean): Slot {
    const { admission } = this;
    const { window } = this.controller;
    if (admission.calls === 0) {
      this.controller.wake(nowMs);
      this.learned?.look();
    }
    admission.enter(cost, partition);
    if (held) admission.hold(cost);
    if (admission.underWay > window.maxInflight) window.maxInflight = admission.underWay;
    const slot = new Slot(this.#home, cost, partition, nowMs, held);
    this.#openSlots?.add(slot);
    return slot;
  }

  #begun(slot: Slot): number {
    const { admission } = this;
    const { window } = this.controller;
    admission.release(slot.cost);
    if (admission.underWay > window.maxInflight) window.maxInflight = admission.underWay;
    this.#openSlots?.again(slot);
    return this.#settings.runtime.now();
  }

  /** A caller waits or was refused. Where slots are held, what they wait for holds calls back, and not the limit. */
  #heldBack(): void {
    if (!this.isHeldUp) return;
    this.controller.window.limited = true;
    this.tally.limited(this.#settings.runtime.now());
  }

  #settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void {
    const { admission, controller } = this;
    if (slot.held) admission.release(slot.cost);
    admission.leave(slot.cost, partition);
    this.#openSlots?.remove(slot);
    if (this.#watched.size > 0) this.#watched.delete(slot);
    // It was lost already, and stays so.
    if (this.state === "stopped") lose(slot, lostError(this.#settings.name));
    const nowMs = this.#settings.runtime.now();
    controller.window.ended(nowMs - slot.startedMs, slot.cost, outcome, report);
    // Mostly there is nothing more to do, and nothing more is done.
    if (nowMs >= controller.closesAtMs || this.waiters.size > 0 || this.state !== "running") this.#follow(nowMs);
  }

  /** What may follow from the end of a call: another limit, a slot for a caller that waits, the end of a drain. */
  #follow(nowMs: number): void {
    if (this.state === "stopped") return;
    const { admission } = this;
    const before = admission.limit;
    const limited = this.waiters.size > 0 && admission.heldCalls === 0;
    if (this.controller.look(nowMs, admission.underWay, limited)) this.#setLimit();
    this.#handover.serve();
    if (this.state === "draining") this.onLeft();
    this.#report(before);
    this.learned?.look();
  }

  #startFrom(limit: number): boolean {
    const before = this.admission.limit;
    if (this.state === "stopped" || !this.controller.startFrom(limit)) return false;
    this.#setLimit();
    this.#handover.serve();
    this.#report(before);
    return true;
  }

  #report(before: number): void {
    const { limit, inflight } = this.admission;
    if (before !== limit && this.#events.has("limit")) this.#events.emit("limit", { limit, before, inflight });
  }

  #setLimit(): void {
    const { limit } = this.controller;
    this.admission.limit = limit;
    this.#settings.semaphore?.cap(Math.floor(limit));
  }

  #overdue(slot: Slot, heldMs: number): void {
    slot.overload();
    lose(slot, overdueError(this.#settings.name, heldMs));
    if (this.#events.has("overdue"))
      this.#events.emit("overdue", { cost: slot.cost, partition: slot.partition, heldMs });
  }
}

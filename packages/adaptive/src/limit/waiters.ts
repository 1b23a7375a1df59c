import { type CallResult, DtError } from "@dt/core";
import { type QueueOptions, type Wait, type Waiter, WaitingQueue } from "@dt/core/internal";
import type { Admission } from "./admission.ts";
import type { Partition } from "./partitions.ts";
import type { Slot } from "./slot.ts";

/** A call that waits. */
export interface SlotWait extends Wait {
  readonly priority: number;
  readonly partition: Partition;
  /** Its call does not begin with its slot. */
  readonly held: boolean;
  /** When it came, among all that wait. */
  readonly order: number;
}

type SlotWaiter = Waiter<Slot, SlotWait>;

/** Those who wait with one priority in one partition. */
interface Queue {
  readonly partition: Partition;
  readonly priority: number;
  readonly waiting: WaitingQueue<Slot, SlotWait>;
}

/**
 * Everybody who waits for a slot: one queue for each priority of each partition that ever had to wait, and all of them
 * within one bound.
 */
export class Waiters {
  /** Told when nobody waits any more. */
  onEmpty: () => void = () => undefined;
  /** Told how each came out that waited. */
  onDecided: (result: CallResult, want: SlotWait, waitedMs: number) => void = () => undefined;
  /** Told of one whose signal was aborted, or whose time was up. */
  onGiveUp: (waiter: SlotWaiter) => void = () => undefined;
  readonly #options: QueueOptions<SlotWait>;
  readonly #admission: Admission;
  readonly #queues: Queue[] = [];
  #came = 0;

  constructor(options: QueueOptions<SlotWait>, admission: Admission) {
    this.#options = options;
    this.#admission = admission;
  }

  get size(): number {
    const queues = this.#queues;
    let size = 0;
    // Asked before every grant, mostly of no queues: an iterator would cost more than the answer.
    for (let i = 0; i < queues.length; i++) size += (queues[i] as Queue).waiting.size;
    return size;
  }

  /**
   * Joins. When the queue is full, someone less important is put out: `displaced` is told.
   * @throws DtError `DT_QUEUE_FULL`
   */
  join(want: Omit<SlotWait, "order">, displaced: (want: SlotWait) => void): Promise<Slot> {
    if (this.size >= this.#options.maxWaiters) {
      const last = this.#lessImportant(want);
      if (last === undefined) throw queueFull(this.#options.maxWaiters);
      last.fail(displacedError(this.#options.maxWaiters));
      displaced(last.want);
    }
    return this.#queueOf(want).waiting.join({ ...want, order: this.#came++ });
  }

  /** Who is to be served next. */
  first(): SlotWaiter | undefined {
    let best: Queue | undefined;
    for (const queue of this.#queues) if (queue.waiting.size > 0 && (!best || this.#before(queue, best))) best = queue;
    return best?.waiting.first;
  }

  /** Whether somebody waits who is served before a newcomer. */
  aheadOf(priority: number, partition: Partition): boolean {
    const owed = this.#admission.owed(partition);
    return this.#queues.some((queue) => {
      if (queue.waiting.size === 0) return false;
      const queueOwed = this.#admission.owed(queue.partition);
      if (queueOwed !== owed) return queueOwed;
      return queue.priority >= priority || (owed && queue.partition !== partition);
    });
  }

  /** Refuses everybody. */
  failAll(error: unknown): void {
    for (const { waiting } of this.#queues) waiting.failAll(error);
  }

  #before(queue: Queue, other: Queue): boolean {
    const admission = this.#admission;
    if (queue.partition !== other.partition) {
      const owed = admission.owed(queue.partition);
      if (owed !== admission.owed(other.partition)) return owed;
      // Whoever is furthest from its guarantee.
      if (owed) return filled(queue.partition) < filled(other.partition);
    }
    if (queue.priority !== other.priority) return queue.priority > other.priority;
    const [mine, others] = [queue.waiting.first?.want.order ?? 0, other.waiting.first?.want.order ?? 0];
    return this.#options.order === "lifo" ? mine > others : mine < others;
  }

  /** The one that would be served last, if a newcomer may take its place. */
  #lessImportant({ priority, partition }: Omit<SlotWait, "order">): SlotWaiter | undefined {
    const entitled = this.#withinPart(partition);
    let worst: Queue | undefined;
    for (const queue of this.#queues) {
      if (queue.waiting.size === 0) continue;
      const same = queue.partition === partition;
      // The guarantee holds for the queue as well: who has no more than its part of it gives way to nobody but its own.
      const may = same
        ? queue.priority < priority
        : !this.#withinPart(queue.partition) && (entitled || queue.priority < priority);
      if (may && (!worst || this.#before(worst, queue))) worst = queue;
    }
    return worst?.waiting.last;
  }

  /** Whether a partition has less than its part of the queue. */
  #withinPart(partition: Partition): boolean {
    let waiting = 0;
    for (const queue of this.#queues) if (queue.partition === partition) waiting += queue.waiting.size;
    return waiting < partition.part * this.#options.maxWaiters;
  }

  #queueOf({ partition, priority }: Omit<SlotWait, "order">): Queue {
    const found = this.#queues.find((queue) => queue.partition === partition && queue.priority === priority);
    if (found) return found;
    const queue: Queue = { partition, priority, waiting: new WaitingQueue(this.#options) };
    queue.waiting.onDecided = (result, want, waitedMs) => this.onDecided(result, want, waitedMs);
    queue.waiting.onGiveUp = (waiter) => this.onGiveUp(waiter);
    queue.waiting.onEmpty = () => {
      if (this.size === 0) this.onEmpty();
    };
    this.#queues.push(queue);
    return queue;
  }
}

function filled({ inflight, part }: Partition): number {
  return inflight / part;
}

function queueFull(maxWaiters: number): DtError {
  return new DtError(
    "DT_QUEUE_FULL",
    `maxWaiters is ${maxWaiters} and as many callers wait already, none of them less important; send less, or raise it`,
  );
}

function displacedError(maxWaiters: number): DtError {
  return new DtError(
    "DT_QUEUE_FULL",
    `maxWaiters is ${maxWaiters}, and a call of a higher priority took this place in the queue; send less, or raise it`,
  );
}

import { DtError } from "@dt/core";
import { type LineOptions, type Wait, type Waiter, WaitingLine } from "@dt/core/internal";
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
interface Lane {
  readonly partition: Partition;
  readonly priority: number;
  readonly line: WaitingLine<Slot, SlotWait>;
}

/**
 * Everybody who waits for a slot: one line for each priority of each partition that ever had to wait, and all of them
 * within one bound.
 */
export class Waiters {
  /** Told when nobody waits any more. */
  onEmpty: () => void = () => undefined;
  /** Told of one whose signal was aborted, or whose time was up. */
  onGiveUp: (waiter: SlotWaiter) => void = () => undefined;
  readonly #options: LineOptions<SlotWait>;
  readonly #admission: Admission;
  readonly #lanes: Lane[] = [];
  #came = 0;

  constructor(options: LineOptions<SlotWait>, admission: Admission) {
    this.#options = options;
    this.#admission = admission;
  }

  get size(): number {
    const lanes = this.#lanes;
    let size = 0;
    // Asked before every grant, mostly of no lanes: an iterator would cost more than the answer.
    for (let i = 0; i < lanes.length; i++) size += (lanes[i] as Lane).line.size;
    return size;
  }

  /**
   * Joins. When the line is full, someone less important is put out: `displaced` is told.
   * @throws DtError `DT_QUEUE_FULL`
   */
  join(want: Omit<SlotWait, "order">, displaced: (want: SlotWait) => void): Promise<Slot | undefined> {
    if (this.size >= this.#options.maxWaiters) {
      const last = this.#lessImportant(want);
      if (last === undefined) throw queueFull(this.#options.maxWaiters);
      last.fail(displacedError(this.#options.maxWaiters));
      displaced(last.want);
    }
    return this.#lane(want).line.join({ ...want, order: this.#came++ });
  }

  /** Who is to be served next. */
  first(): SlotWaiter | undefined {
    let best: Lane | undefined;
    for (const lane of this.#lanes) if (lane.line.size > 0 && (!best || this.#before(lane, best))) best = lane;
    return best?.line.first;
  }

  /** Whether somebody waits whose turn comes before that of a newcomer. */
  aheadOf(priority: number, partition: Partition): boolean {
    const owed = this.#admission.owed(partition);
    return this.#lanes.some((lane) => {
      if (lane.line.size === 0) return false;
      const laneOwed = this.#admission.owed(lane.partition);
      if (laneOwed !== owed) return laneOwed;
      return lane.priority >= priority || (owed && lane.partition !== partition);
    });
  }

  /** Refuses everybody. */
  failAll(error: unknown): void {
    for (const { line } of this.#lanes) line.failAll(error);
  }

  #before(lane: Lane, other: Lane): boolean {
    const admission = this.#admission;
    if (lane.partition !== other.partition) {
      const owed = admission.owed(lane.partition);
      if (owed !== admission.owed(other.partition)) return owed;
      // Whoever is furthest from its guarantee.
      if (owed) return filled(lane.partition) < filled(other.partition);
    }
    if (lane.priority !== other.priority) return lane.priority > other.priority;
    const [mine, others] = [lane.line.first?.want.order ?? 0, other.line.first?.want.order ?? 0];
    return this.#options.order === "lifo" ? mine > others : mine < others;
  }

  /** The one that would be served last, if a newcomer may take its place. */
  #lessImportant({ priority, partition }: Omit<SlotWait, "order">): SlotWaiter | undefined {
    const entitled = this.#withinPart(partition);
    let worst: Lane | undefined;
    for (const lane of this.#lanes) {
      if (lane.line.size === 0) continue;
      const same = lane.partition === partition;
      // The guarantee holds for the line as well: who has no more than its part of it gives way to nobody but its own.
      const may = same
        ? lane.priority < priority
        : !this.#withinPart(lane.partition) && (entitled || lane.priority < priority);
      if (may && (!worst || this.#before(worst, lane))) worst = lane;
    }
    return worst?.line.last;
  }

  /** Whether a partition has less than its part of the line. */
  #withinPart(partition: Partition): boolean {
    let waiting = 0;
    for (const lane of this.#lanes) if (lane.partition === partition) waiting += lane.line.size;
    return waiting < partition.part * this.#options.maxWaiters;
  }

  #lane({ partition, priority }: Omit<SlotWait, "order">): Lane {
    const found = this.#lanes.find((lane) => lane.partition === partition && lane.priority === priority);
    if (found) return found;
    const lane: Lane = { partition, priority, line: new WaitingLine(this.#options) };
    lane.line.onGiveUp = (waiter) => this.onGiveUp(waiter);
    lane.line.onEmpty = () => {
      if (this.size === 0) this.onEmpty();
    };
    this.#lanes.push(lane);
    return lane;
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
    `maxWaiters is ${maxWaiters}, and somebody more important took this place in the line; send less, or raise it`,
  );
}

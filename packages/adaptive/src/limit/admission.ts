import type { Partition, Partitions } from "./partitions.ts";

/** What one step of a priority below 0 leaves free of the limit for the more important. */
const FREE_PER_STEP = 0.1;

/**
 * For so long a part of the limit is kept free for a partition that was refused although it is owed more, in
 * milliseconds.
 */
const OWED_MS = 1_000;

/** What is in flight, and whether one more fits. */
export class Admission {
  /** Cost that may be in flight at once. */
  limit = 1;
  /** Cost in flight. */
  inflight = 0;
  /** Calls in flight. */
  calls = 0;
  /** Slots whose calls have not begun: they wait for something else. */
  heldCalls = 0;
  #heldCost = 0;
  /** True when calls are counted by partitions. */
  readonly partitioned: boolean;
  readonly #partitions: Partitions;

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
    this.partitioned = partitions.size > 1;
  }

  /** Whether a call may go out now, nobody else being in the way. */
  fits(cost: number, priority: number, partition: Partition, nowMs: number): boolean {
    // Whatever it costs: one that is larger than the limit would otherwise never pass.
    if (this.calls === 0) return true;
    const after = this.inflight + cost;
    const ceiling = priority < 0 ? this.limit * (1 + priority * FREE_PER_STEP) : this.limit;
    if (after > ceiling) return false;
    return !this.partitioned || this.owed(partition) || after <= this.limit - this.#keptFrom(partition, nowMs);
  }

  /** True while a partition has less in flight than is guaranteed to it. */
  owed({ inflight, part }: Partition): boolean {
    return inflight < part * this.limit;
  }

  /** Cost of the calls that have begun. */
  get underWay(): number {
    return this.inflight - this.#heldCost;
  }

  /** A slot that was entered waits for something else before its call begins. */
  hold(cost: number): void {
    this.heldCalls += 1;
    this.#heldCost += cost;
  }

  /** It waits no longer. */
  release(cost: number): void {
    this.heldCalls -= 1;
    // Exactly nothing, whatever sums of fractions would leave.
    this.#heldCost = this.heldCalls === 0 ? 0 : this.#heldCost - cost;
  }

  enter(cost: number, partition: Partition): void {
    this.inflight += cost;
    this.calls += 1;
    if (!this.partitioned) return;
    partition.inflight += cost;
    partition.owedUntilMs = Number.NEGATIVE_INFINITY;
  }

  leave(cost: number, partition: Partition): void {
    this.calls -= 1;
    // Exactly nothing, whatever sums of fractions would leave.
    this.inflight = this.calls === 0 ? 0 : this.inflight - cost;
    if (this.partitioned) partition.inflight = this.calls === 0 ? 0 : partition.inflight - cost;
  }

  /**
   * A call was refused that did not wait. What its partition is owed is kept free for a while: nobody waits in a queue
   * for it.
   */
  refused(partition: Partition, nowMs: number): void {
    if (this.owed(partition)) partition.owedUntilMs = nowMs + OWED_MS;
  }

  /** When the next part that is kept free for a partition is free for all again; Infinity when none is kept. */
  keptUntilMs(nowMs: number): number {
    let untilMs = Number.POSITIVE_INFINITY;
    if (!this.partitioned) return untilMs;
    for (const { owedUntilMs } of this.#partitions.values())
      if (owedUntilMs > nowMs && owedUntilMs < untilMs) untilMs = owedUntilMs;
    return untilMs;
  }

  /** What others than this one were refused lately although they are owed it. */
  #keptFrom(partition: Partition, nowMs: number): number {
    let kept = 0;
    for (const other of this.#partitions.values())
      if (other !== partition && nowMs < other.owedUntilMs)
        kept += Math.max(0, other.part * this.limit - other.inflight);
    return kept;
  }
}

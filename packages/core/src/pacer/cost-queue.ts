import { PriorityFifo } from "../internal/priority-fifo.ts";
import type { Wait, Waiter } from "../internal/waiting-queue.ts";
import { type HeldInstant, HeldInstants } from "./held-instants.ts";
import type { Permit } from "./permit.ts";

/** What a caller of a pacer waits for. */
export interface PermitWait extends Wait {
  /** Local time at which it gives up. */
  readonly deadlineMs: number;
  /** Permits that were wasted before it came. */
  readonly wastedBefore: number;
}

/** A caller that waits for a permit. */
export type Caller = Waiter<Permit, PermitWait>;

/**
 * Callers of one cost for which there is an instant. No caller owns a certain one: the first takes the next. So callers
 * are served by priority and in the order in which they came, even if an earlier instant turns up later or one is
 * wasted. What is left over is always the latest, which the store can take back.
 */
export class CostQueue {
  readonly cost: number;
  readonly #callers = new PriorityFifo<Caller>("fifo");
  readonly #instants = new HeldInstants();

  constructor(cost: number) {
    this.cost = cost;
  }

  get waiting(): number {
    return this.#callers.size;
  }

  /** Instants that no caller waits for; fewer than 0 while a caller is here that has none. */
  get spare(): number {
    return this.#instants.size - this.#callers.size;
  }

  get empty(): boolean {
    return this.#instants.size === 0;
  }

  /** When the next instant comes; `Infinity` when there is none. */
  get nextMs(): number {
    return this.#instants.next?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** When the last instant comes; `-Infinity` when there is none. */
  get lastMs(): number {
    return this.#instants.at(this.#instants.size - 1)?.dueMs ?? Number.NEGATIVE_INFINITY;
  }

  add(instants: readonly HeldInstant[]): void {
    for (const instant of instants) this.#instants.add(instant);
  }

  /** When a caller of this priority could go that comes now; undefined when there is no instant for it. */
  dueFor(priority: number): number | undefined {
    return this.#instants.at(this.#callers.from(priority))?.dueMs;
  }

  /** When the caller that wants this goes; undefined when it is not here. */
  dueOf(want: PermitWait): number | undefined {
    let position = 0;
    for (const caller of this.#callers) {
      if (caller.want === want) return this.#instants.at(position)?.dueMs;
      position += 1;
    }
    return undefined;
  }

  /** Takes a caller in. One of lower priority may have no instant then: {@link takeUnserved}. */
  admit(caller: Caller): void {
    this.#callers.push(caller);
  }

  /** Takes a caller out; those behind it move up. True when it was here. */
  remove(caller: Caller): boolean {
    return this.#callers.remove(caller);
  }

  /** Takes the next instant, with the first caller unless its life is over. */
  take(nowMs: number): { readonly instant: HeldInstant; readonly caller: Caller | undefined } {
    const instant = this.#instants.take() as HeldInstant;
    const caller = nowMs <= instant.expiresMs ? this.#callers.first : undefined;
    if (caller) this.#callers.remove(caller);
    return { instant, caller };
  }

  /** The last caller, if there are fewer instants than callers; taken out. */
  takeUnserved(): Caller | undefined {
    const last = this.spare < 0 ? this.#callers.last : undefined;
    if (last) this.#callers.remove(last);
    return last;
  }

  /** Drops what is spare; returns how many of each reservation concerned stay reserved. */
  dropSpare(): Map<string, number> {
    return this.#instants.dropLatest(Math.max(0, this.spare));
  }

  /** Drops instants before a time, for good: nobody may use them. */
  dropBefore(ms: number): void {
    this.#instants.dropBefore(ms);
  }

  drain(): Caller[] {
    return this.#callers.drain();
  }
}

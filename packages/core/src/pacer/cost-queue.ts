import { Fifo } from "../internal/fifo.ts";
import type { Wait, Waiter } from "../internal/waiting-queue.ts";
import { type HeldInstant, HeldInstants } from "./held-instants.ts";

/** A permit whose instant has come. */
export interface Permit {
  /** How long after its instant the caller was woken, in milliseconds; at most `permitTtl`. */
  readonly lateMs: number;
}

/** What somebody waits for who wants a permit. */
export interface PermitWait extends Wait {
  /** Local time at which it gives up. */
  readonly deadlineMs: number;
  /** Permits that were wasted before it came. */
  readonly wastedBefore: number;
}

/** Somebody waiting for a permit. */
export type Caller = Waiter<Permit, PermitWait>;

/**
 * Callers of one cost for whom there is an instant. Nobody owns a certain one: whoever came first takes the next. So
 * callers are served in the order they came even if an earlier instant turns up later or one is wasted, and what is
 * left over is always the latest, which the store can take back.
 */
export class CostQueue {
  readonly #callers = new Fifo<Caller>();
  readonly #instants = new HeldInstants();

  get waiting(): number {
    return this.#callers.size;
  }

  /** Instants that nobody waits for. */
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

  add(instants: readonly HeldInstant[]): void {
    for (const instant of instants) this.#instants.add(instant);
  }

  /** Takes a caller in, for whom an instant must be spare; false when that comes too late for it. */
  admit(caller: Caller): boolean {
    const spare = this.#instants.at(this.#callers.size) as HeldInstant;
    if (spare.dueMs > caller.want.deadlineMs) return false;
    this.#callers.push(caller);
    return true;
  }

  /** Takes a caller out; those behind it move up. True when it was here. */
  remove(caller: Caller): boolean {
    return this.#callers.remove(caller);
  }

  /** Takes the next instant, with the first caller unless its life is over. */
  take(nowMs: number): { readonly instant: HeldInstant; readonly caller: Caller | undefined } {
    const instant = this.#instants.take() as HeldInstant;
    return { instant, caller: nowMs <= instant.expiresMs ? this.#callers.shift() : undefined };
  }

  /** The last caller, if an instant was wasted and there are fewer than callers now; taken out. */
  takeUnserved(): Caller | undefined {
    const last = this.spare < 0 ? this.#callers.last : undefined;
    if (last) this.#callers.remove(last);
    return last;
  }

  /** Drops what is spare; returns how many of each reservation concerned stay reserved. */
  dropSpare(): Map<string, number> {
    return this.#instants.dropLatest(Math.max(0, this.spare));
  }

  drain(): Caller[] {
    return this.#callers.drain();
  }
}

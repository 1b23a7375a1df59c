import type { Slot } from "@dt/core";
import type { Usage } from "./cost.ts";

/** What a lease has of its budget. */
export interface LeaseHome {
  /** Settles it once: what it cost, or undefined for what was reserved. */
  settle(lease: Lease, usage: Usage | undefined): void;
  /** Gives all of it back: the call was not made. */
  cancel(lease: Lease): void;
}

/** How a lease came about. */
export interface LeaseFacts<Limit extends string = string> {
  readonly id: string;
  readonly cost: Readonly<Record<Limit, number>>;
  readonly lateMs: number;
  readonly waitedMs: number;
  readonly limitedBy: string | undefined;
}

/**
 * The right to make one call, whose cost is reserved. Settle it when the call has ended: then what was reserved too
 * much can be spent by others, and what was spent beyond is paid. Declared with `using` it is settled as reserved.
 */
export class Lease<Limit extends string = string> {
  /** Its id, by which `budget.settle` settles it elsewhere. */
  readonly id: string;
  /** The units of each limit that are reserved. */
  readonly cost: Readonly<Record<Limit, number>>;
  /** How long after its instant the caller was woken, in milliseconds. */
  readonly lateMs: number;
  /** How long the caller waited, in milliseconds. */
  readonly waitedMs: number;
  /** Which limit made the call wait, or `"pause"`; undefined for none. */
  readonly limitedBy: string | undefined;
  /** Local time at which it was granted. */
  readonly grantedMs: number;
  readonly #home: LeaseHome;
  readonly #slot: Slot | undefined;
  #open = true;
  /** One for each lease: listeners of a shared one would add up. */
  #never: AbortSignal | undefined;

  /** Made by a budget. */
  constructor(home: LeaseHome, facts: LeaseFacts<Limit>, grantedMs: number, slot: Slot | undefined) {
    this.id = facts.id;
    this.cost = facts.cost;
    this.lateMs = facts.lateMs;
    this.waitedMs = facts.waitedMs;
    this.limitedBy = facts.limitedBy;
    this.grantedMs = grantedMs;
    this.#home = home;
    this.#slot = slot;
  }

  /** True until it is settled or cancelled. */
  get open(): boolean {
    return this.#open;
  }

  /**
   * Fires when its slot of `concurrent` is lost: see `Slot.signal` of `@dt/core`. Without `concurrent` it never fires.
   */
  get signal(): AbortSignal {
    this.#never ??= new AbortController().signal;
    return this.#slot?.signal ?? this.#never;
  }

  /** True where its slot of `concurrent` is lost. */
  get lost(): boolean {
    return this.#slot?.lost ?? false;
  }

  /**
   * Settles what the call has cost, seconds or minutes after it began. Only the first settlement counts. A limit that
   * is left out cost what was reserved.
   * @param usage the units of each limit, or their parts; left out: as reserved
   * @throws DtError `DT_INVALID_COST` for a usage that makes no sense; the lease is then still open
   * @example lease.settle({ tokens: answer.usage.total_tokens })
   */
  settle(usage?: Usage<Limit>): void {
    if (!this.#open) return;
    this.#home.settle(this as Lease, usage as Usage | undefined);
    this.#close();
  }

  /**
   * Gives all of it back: the call was not made.
   * @example lease.cancel()
   */
  cancel(): void {
    if (!this.#open) return;
    this.#home.cancel(this as Lease);
    this.#close();
  }

  /** Settles it as reserved: for `using`. */
  [Symbol.dispose](): void {
    this.settle();
  }

  #close(): void {
    this.#open = false;
    this.#slot?.release();
  }
}

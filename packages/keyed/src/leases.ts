import type { DtError, Slot } from "@dt/core";

/** How long a slot stays taken whose process is gone, in milliseconds. */
export const SLOT_MS = 10_000;
/** A process that cannot renew its slots gives up their calls so long before, in milliseconds. */
const MARGIN_MS = 2_000;

/** A slot of a key, which the store keeps for this process and which is renewed once a second. */
export interface Lease {
  readonly id: string;
  /** Until when it is certainly taken, in local time. */
  untilMs: number;
  /** Called once when it is lost. */
  onLost: (error: DtError) => void;
}

/** Until when a slot is certainly taken that was asked for at this time. */
function leasedUntil(sentMs: number): number {
  return sentMs + SLOT_MS - MARGIN_MS;
}

/** The leases of one key, and those to give back. */
export class Leases {
  readonly #open = new Map<string, Lease>();
  #released: string[] = [];
  #releasedUntilMs = 0;

  get size(): number {
    return this.#open.size;
  }

  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** True while the store has to be told of slots that are free. */
  get hasReleased(): boolean {
    return this.#released.length > 0;
  }

  open(id: string, sentMs: number): Lease {
    const lease = { id, untilMs: leasedUntil(sentMs), onLost: () => undefined };
    this.#open.set(id, lease);
    return lease;
  }

  /** It is free again, or was asked for in vain; it is given back with the next request. */
  release(id: string, nowMs: number): void {
    this.#open.delete(id);
    this.#released.push(id);
    this.#releasedUntilMs = nowMs + SLOT_MS;
  }

  /** Those to give back, at most a request's worth. To give back twice is to give back once. */
  takeReleased(): string[] {
    return this.#released.splice(0, 1_000);
  }

  /** They could not be given back. After a while the store knows them no more. */
  putBack(ids: readonly string[], nowMs: number): void {
    if (nowMs < this.#releasedUntilMs) this.#released.push(...ids);
  }

  /** They were renewed by a request that was sent at this time, except for those that are lost. */
  renewed(ids: readonly string[], lost: readonly string[], sentMs: number): readonly Lease[] {
    for (const id of ids) {
      const lease = this.#open.get(id);
      if (lease) lease.untilMs = Math.max(lease.untilMs, leasedUntil(sentMs));
    }
    return this.#lose(lost);
  }

  /** Those whose time is over without a renewal. */
  over(nowMs: number): readonly Lease[] {
    return this.#lose([...this.#open.values()].filter(({ untilMs }) => untilMs <= nowMs).map(({ id }) => id));
  }

  #lose(ids: readonly string[]): readonly Lease[] {
    return ids.flatMap((id) => {
      const lease = this.#open.get(id);
      return lease && this.#open.delete(id) ? [lease] : [];
    });
  }
}

/** What a slot has of its limit. */
export interface SlotParts {
  readonly cost: number;
  readonly lease: Lease | undefined;
  /** The slot of the limit above. */
  readonly parent: Slot | undefined;
  /** Gives the lease back. */
  release(lease: Lease): void;
}

/** The right of a call: a slot where its limit has `concurrent`, and otherwise one that nothing waits for. */
export class KeyedSlot implements Slot {
  readonly cost: number;
  readonly #parts: SlotParts;
  #isOpen = true;
  #controller: AbortController | undefined;
  #reason: DtError | undefined;

  constructor(parts: SlotParts) {
    this.cost = parts.cost;
    this.#parts = parts;
    if (parts.lease) parts.lease.onLost = (error) => this.#lose(error);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    const { parent } = this.#parts;
    return parent ? AbortSignal.any([this.#controller.signal, parent.signal]) : this.#controller.signal;
  }

  get lost(): boolean {
    return this.#reason !== undefined || this.#parts.parent?.lost === true;
  }

  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { lease, parent, release } = this.#parts;
    if (lease && this.#reason === undefined) release(lease);
    parent?.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #lose(error: DtError): void {
    if (!this.#isOpen) return;
    this.#reason = error;
    this.#controller?.abort(error);
  }
}

import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { Events, Topic } from "../internal/events.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { SlotShare } from "./slot-share.ts";

/** What an open slot has of its semaphore. */
interface SlotHome {
  released(slot: OpenSlot): void;
  /** Notices that validity has ended, if it has. */
  look(): void;
}

/** A slot of a semaphore. A class with few fields: one is made for each call. */
export class OpenSlot implements Slot {
  readonly cost: number;
  /** When it was granted, on the runtime's clock, in milliseconds. */
  readonly sinceMs: number;
  overdue: Timer | undefined;
  /** Its neighbours in the list of open slots. */
  older: OpenSlot | undefined;
  newer: OpenSlot | undefined;
  /** Undefined once it was released. */
  #home: SlotHome | undefined;
  #controller: AbortController | undefined;
  #reason: DtError | undefined;
  #lost = false;

  constructor(home: SlotHome, cost: number, sinceMs: number) {
    this.#home = home;
    this.cost = cost;
    this.sinceMs = sinceMs;
  }

  get signal(): AbortSignal {
    this.#home?.look();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get lost(): boolean {
    this.#home?.look();
    return this.#lost;
  }

  release(): void {
    this.#home?.released(this);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** It is released; false where it was before. */
  end(): boolean {
    if (this.#home === undefined) return false;
    this.#home = undefined;
    return true;
  }

  /** It is lost; false where it was lost or released before. */
  lose(reason: DtError): boolean {
    if (this.#lost || this.#home === undefined) return false;
    this.#lost = true;
    this.fire(reason);
    return true;
  }

  /** The first reason counts. */
  fire(reason: DtError): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}

/** What the slots that are open need of their semaphore. */
export interface OpenSlotsOptions {
  readonly name: string;
  readonly runtime: Runtime;
  readonly maxHoldMs: number | undefined;
}

/** The slots that are open: calls that run. They count until they are released, whatever their signals say. */
export class OpenSlots {
  lost = 0;
  overdue = 0;
  /** Called when slots were released, with the time. */
  onReleased: (nowMs: number) => void = () => undefined;
  /** Notices that validity has ended, if it has. */
  look: (nowMs: number) => void = () => undefined;
  readonly #options: OpenSlotsOptions;
  readonly #share: SlotShare;
  readonly #events: Events<SemaphoreEvents>;
  readonly #released: Topic<SemaphoreEvents["release"]>;
  /** The newest of a list: a set leaves garbage for each call that comes and goes. */
  #newest: OpenSlot | undefined;
  #size = 0;
  readonly #home: SlotHome;

  constructor(options: OpenSlotsOptions, share: SlotShare, events: Events<SemaphoreEvents>) {
    this.#options = options;
    this.#share = share;
    this.#events = events;
    this.#released = events.topic("release");
    this.#home = { look: () => this.look(options.runtime.now()), released: (slot) => this.#close(slot) };
  }

  get size(): number {
    return this.#size;
  }

  /** A call begins; what it takes counts as in use from now on. Listeners are not told of it yet. */
  open(cost: number, nowMs: number): OpenSlot {
    const slot = new OpenSlot(this.#home, cost, nowMs);
    slot.older = this.#newest;
    if (this.#newest) this.#newest.newer = slot;
    this.#newest = slot;
    this.#size += 1;
    this.#share.inUse += cost;
    const { maxHoldMs, runtime } = this.#options;
    if (maxHoldMs !== undefined)
      slot.overdue = runtime.setTimer(() => this.#overdue(slot), maxHoldMs, { keepAlive: false });
    return slot;
  }

  /** All slots that are open are lost. They stay in use until they are released. */
  loseAll(reason: DtError): void {
    const open: OpenSlot[] = [];
    for (let slot = this.#newest; slot !== undefined; slot = slot.older) open.push(slot);
    for (const slot of open.reverse()) {
      if (!slot.lose(reason)) continue;
      this.lost += 1;
      if (this.#events.has("lost")) this.#events.emit("lost", this.#told(slot, this.#options.runtime.now()));
    }
  }

  #close(slot: OpenSlot): void {
    const nowMs = this.#options.runtime.now();
    this.look(nowMs);
    // A listener that was told of the loss may have released it.
    if (!slot.end()) return;
    if (slot.newer) slot.newer.older = slot.older;
    else this.#newest = slot.older;
    if (slot.older) slot.older.newer = slot.newer;
    // A caller may keep a slot that was released: it keeps no others.
    slot.older = undefined;
    slot.newer = undefined;
    this.#size -= 1;
    slot.overdue?.cancel();
    this.#share.inUse -= slot.cost;
    this.#share.note(nowMs);
    if (this.#released.observed) this.#released.emit(this.#told(slot, nowMs));
    this.onReleased(nowMs);
  }

  #overdue(slot: OpenSlot): void {
    const { name, maxHoldMs, runtime } = this.#options;
    this.overdue += 1;
    const what = `a slot of the semaphore ${describe(name)} was held for maxHold (${maxHoldMs} ms)`;
    slot.fire(new DtError("DT_SLOT_OVERDUE", `${what}; end the call and release it: it stays in use until then`));
    if (this.#events.has("overdue")) this.#events.emit("overdue", this.#told(slot, runtime.now()));
  }

  #told({ cost, sinceMs }: OpenSlot, nowMs: number): { readonly cost: number; readonly heldMs: number } {
    return { cost, heldMs: nowMs - sinceMs };
  }
}

import { isDtError } from "../errors/dt-error.ts";
import { Fifo } from "../queue/fifo.ts";
import { randomId, type Timer } from "../runtime/runtime.ts";
import type { PacerSettings } from "./pacer-options.ts";
import { PermitBlock } from "./permit-block.ts";
import type { PermitClient } from "./permit-client.ts";

/** At most this much time's worth of permits is reserved in one round trip, so that processes take turns. */
const BLOCK_MS = 20;
/** A refused request keeps its place in line for this long beyond the time it was told to come back. */
const QUEUE_GRACE_MS = 500;

/** Somebody waiting for a permit. */
export interface Caller {
  readonly cost: number;
  /** Local time after which the caller is no longer interested. */
  readonly deadlineMs: number;
  /** Settles the caller: its instant has come, `lateMs` ago; or undefined when it cannot come in time. */
  grant(lateMs: number | undefined): void;
  fail(error: unknown): void;
}

/**
 * The callers of one pacer: those without an instant yet, in a queue, and those with one, in blocks as they were reserved. One request is under way at a time,
 * and one timer is set for the earliest instant.
 */
export class PermitLine {
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #queue = new Fifo<Caller>();
  #blocks: PermitBlock<Caller>[] = [];
  /** The request being made or in line at the store; kept until it is granted, so that it keeps its place. */
  #requestId: string | undefined;
  #fetching = false;
  #retry: Timer | undefined;
  #wake: Timer | undefined;
  #watch: Promise<(() => void) | undefined> | undefined;
  #closed = false;
  #granted = 0;
  #wasted = 0;
  #lastFetch = { atMs: 0, granted: 0 };

  constructor(settings: PacerSettings, client: PermitClient) {
    this.#settings = settings;
    this.#client = client;
  }

  get waiting(): number {
    return this.#blocks.reduce((sum, block) => sum + block.waiting, this.#queue.size);
  }

  get wasted(): number {
    return this.#wasted;
  }

  /** A caller comes: an instant that is spare already, or the queue. */
  enter(caller: Caller): void {
    const block = caller.cost === 1 && this.#queue.size === 0 && this.#blocks.find(({ spare }) => spare > 0);
    if (block) this.#place(caller, block);
    else this.#queue.push(caller);
    this.#serve();
  }

  /** A caller gives up: its instant goes to the one behind it, what is left over back to the store, once for all who give up in one go. */
  leave(caller: Caller): void {
    if (!this.#queue.remove(caller)) this.#blocks.find((block) => block.remove(caller));
    queueMicrotask(() => this.#tidy());
  }

  /** Refuses everybody and gives everything back. */
  close(error: unknown): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#wake?.cancel();
    void this.#watch?.then((unwatch) => unwatch?.());
    for (const caller of this.#queue.drain()) caller.fail(error);
    for (const block of this.#blocks) {
      for (const caller of block.drain()) caller.fail(error);
      this.#client.release(block.id, block.dropSpare());
    }
    this.#leaveLine();
  }

  /** Assigns a spare instant, unless it comes too late for the caller. */
  #place(caller: Caller, block: PermitBlock<Caller>): void {
    if (block.spareMs > caller.deadlineMs) caller.grant(undefined);
    else block.assign(caller);
  }

  /** Spare instants go to those who wait for one, or back to the store. */
  #tidy(): void {
    if (this.#closed) return;
    for (const block of this.#blocks) {
      while (block.spare > 0 && this.#queue.first?.cost === 1) this.#place(this.#queue.shift() as Caller, block);
      if (block.spare > 0) this.#client.release(block.id, block.dropSpare());
    }
    this.#blocks = this.#blocks.filter((block) => !block.finished);
    if (this.#queue.size === 0 && !this.#fetching) this.#leaveLine();
    this.#arm();
  }

  #leaveLine(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    if (this.#requestId !== undefined) this.#client.release(this.#requestId, 0);
    this.#requestId = undefined;
  }

  /** Reserves for those in the queue, one round trip at a time. */
  async #fetch(): Promise<void> {
    if (this.#fetching || this.#retry || this.#closed) return;
    this.#fetching = true;
    try {
      for (let head = this.#queue.first; head && !this.#closed; head = this.#queue.first)
        if (!(await this.#fetchFor(head))) return;
    } catch (error) {
      const lost = this.#requestId;
      this.#requestId = undefined;
      // An outage concerns everybody in the queue. Whether the request took effect is unknown, so it is given back.
      for (const caller of this.#queue.drain()) caller.fail(error);
      if (lost !== undefined && isDtError(error) && error.outcome === "unknown") this.#client.release(lost, 0);
    } finally {
      this.#fetching = false;
    }
  }

  /** One round trip for the caller at the head and those like it behind; false when it was refused for now. */
  async #fetchFor({ cost }: Caller): Promise<boolean> {
    const { runtime, maxReserved } = this.#settings;
    this.#requestId ??= randomId(runtime);
    const id = this.#requestId;
    const count = this.#blockSize(cost);
    const reservation = await this.#client.reserve({ id, count, cost, maxReserved, queueMs: QUEUE_GRACE_MS });
    if (this.#closed) {
      this.#client.release(id, 0);
      return false;
    }
    if (reservation.granted === 0) {
      if (this.#queue.size === 0) this.#leaveLine();
      else this.#backOff(reservation.retryAfterMs);
      return false;
    }
    this.#requestId = undefined;
    const block = new PermitBlock<Caller>(id, reservation, runtime.now());
    this.#blocks.push(block);
    while (block.spare > 0 && this.#queue.first?.cost === cost) this.#place(this.#queue.shift() as Caller, block);
    // What was reserved ahead of demand serves callers of cost 1 only; those who asked may also have left meanwhile.
    if (count === 1 || cost !== 1) this.#tidy();
    this.#serve();
    return true;
  }

  /** Refused: come back when a permit is due, or when somebody gives one back. A pessimistic request adds jitter, so that processes do not come back in step. */
  #backOff(retryAfterMs: number): void {
    const { runtime, maxReserved, everyMs } = this.#settings;
    const jitterMs = maxReserved === 0 ? runtime.random() * Math.min(everyMs / 10, 50) : 0;
    const tryAgain = (): void => {
      this.#retry?.cancel();
      this.#retry = undefined;
      void this.#fetch();
    };
    this.#retry = runtime.setTimer(tryAgain, retryAfterMs + jitterMs);
    this.#watch ??= this.#client.watch(() => this.#retry && tryAgain());
  }

  /** At high rates, as many permits as are wanted, or will be in a moment by the recent rate; one at a time otherwise. */
  #blockSize(cost: number): number {
    const { everyMs, block, runtime } = this.#settings;
    const { atMs, granted } = this.#lastFetch;
    const nowMs = runtime.now();
    const perMs = (this.#granted - granted) / Math.max(1, nowMs - atMs);
    this.#lastFetch = { atMs: nowMs, granted: this.#granted };
    if (cost !== 1 || everyMs * 2 > BLOCK_MS) return 1;
    const wanted = Math.max(this.#queue.size, Math.ceil((perMs * BLOCK_MS) / 2));
    return Math.max(1, Math.min(wanted, block, Math.ceil(BLOCK_MS / everyMs)));
  }

  /** One timer for the earliest instant; it keeps the process alive only while somebody waits for one. */
  #arm(): void {
    const { runtime } = this.#settings;
    this.#wake?.cancel();
    this.#wake = undefined;
    const next = this.#earliest();
    if (!next || this.#closed) return;
    const keepAlive = this.#blocks.some((block) => block.waiting > 0);
    this.#wake = runtime.setTimer(() => this.#serve(), Math.max(0, next.nextMs - runtime.now()), { keepAlive });
  }

  #earliest(): PermitBlock<Caller> | undefined {
    let earliest: PermitBlock<Caller> | undefined;
    for (const block of this.#blocks) if (!earliest || block.nextMs < earliest.nextMs) earliest = block;
    return earliest;
  }

  /** Instants have come: wake their callers, in order of time. An instant past its life is wasted, and its caller first in the queue again. */
  #serve(): void {
    const { runtime, permitTtlMs } = this.#settings;
    let unwanted = false;
    for (let block = this.#earliest(); block && block.nextMs <= runtime.now(); block = this.#earliest()) {
      const lateMs = runtime.now() - block.nextMs;
      const caller = block.shift();
      if (block.finished) this.#blocks = this.#blocks.filter((other) => other !== block);
      unwanted ||= caller === undefined;
      if (caller && lateMs <= permitTtlMs) {
        this.#granted += 1;
        caller.grant(lateMs);
      } else {
        this.#wasted += 1;
        if (caller) this.#queue.unshift(caller);
      }
    }
    // Nobody came for an instant: the demand that the block was made for is over.
    if (unwanted) this.#tidy();
    this.#arm();
    void this.#fetch();
  }
}

import type { DtError } from "../errors/dt-error.ts";
import type { Events } from "../internal/events.ts";
import { WaitingQueue } from "../internal/waiting-queue.ts";
import { randomId } from "../runtime/runtime.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { BackOff } from "./back-off.ts";
import { blockSize, NO_TURNS, reservesAheadOfDemand, type Turn, turnOf } from "./block-size.ts";
import type { Caller, CostQueue, Permit, PermitWait } from "./cost-queue.ts";
import { CostQueues } from "./cost-queues.ts";
import { heldInstants } from "./held-instants.ts";
import { acquireTimeout } from "./pacer-errors.ts";
import type { PacerEvents } from "./pacer-events.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { PermitClient } from "./permit-client.ts";

/**
 * A refused request keeps its place in the store's queue for this long, and two round trips, beyond the time it was
 * told to come back.
 */
const QUEUE_GRACE_MS = 500;

/** Asks again after so long at least, whatever it was told: the key may have been reset meanwhile. */
const LONGEST_WAIT_MS = 30_000;

/**
 * The callers of one pacer: those without an instant yet, in the order of a waiting queue, and those with one, in a
 * queue for each cost. One request is under way at a time.
 */
export class PermitQueue {
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #events: Events<PacerEvents>;
  readonly #queue: WaitingQueue<Permit, PermitWait>;
  readonly #byCost: CostQueues;
  /**
   * The request being made or queued at the store; kept as it is until it is granted, so that it keeps its place and
   * means the same whenever it takes effect.
   */
  #request: { readonly id: string; readonly cost: number; readonly count: number } | undefined;
  #fetching: Promise<void> | undefined;
  readonly #backOff: BackOff;
  readonly #sleep: SleepWatch;
  #hints: Promise<(() => void) | undefined> | undefined;
  /** What the last refusal came to. */
  #turn: Turn = NO_TURNS;
  #tidying = false;
  #closed = false;
  #granted = 0;
  #wasted = 0;
  #lastFetch = { atMs: 0, granted: 0, roundTripMs: 0 };

  constructor(settings: PacerSettings, client: PermitClient, events: Events<PacerEvents>) {
    const { runtime, maxWaiters, acquireTimeoutMs } = settings;
    this.#settings = settings;
    this.#client = client;
    this.#events = events;
    const timeoutError = ({ wastedBefore }: PermitWait): DtError =>
      acquireTimeout(settings, this.#wasted - wastedBefore);
    this.#queue = new WaitingQueue({ runtime, maxWaiters, acquireTimeoutMs, timeoutError });
    this.#queue.onGiveUp = (caller) => this.#leave(caller);
    this.#queue.onTimeout = ({ cost, waitedMs }) => {
      if (events.has("timedOut")) events.emit("timedOut", { cost, waitedMs });
    };
    this.#queue.onFull = () => {
      if (events.has("queueFull")) events.emit("queueFull", { waiting: this.waiting });
    };
    this.#byCost = new CostQueues(runtime, () => this.#serve());
    this.#backOff = new BackOff(runtime, () => this.#fetch());
    this.#sleep = new SleepWatch(runtime);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get granted(): number {
    return this.#granted;
  }

  get wasted(): number {
    return this.#wasted;
  }

  /** Told when nobody waits any more. */
  set onEmpty(listener: () => void) {
    this.#queue.onEmpty = listener;
  }

  /** A caller comes: an instant that is spare already, or the queue. Settles as documented at `Pacer.acquire`. */
  join(wait: Omit<PermitWait, "deadlineMs" | "wastedBefore">): Promise<Permit> {
    const { runtime, acquireTimeoutMs } = this.#settings;
    const deadlineMs = runtime.now() + (wait.timeoutMs ?? acquireTimeoutMs ?? Number.POSITIVE_INFINITY);
    const joined = this.#queue.join({ ...wait, deadlineMs, wastedBefore: this.#wasted });
    this.#serve();
    return joined;
  }

  /**
   * A caller has given up: those behind it move up, and what is left over goes back to the store, once for all who give
   * up in one go.
   */
  #leave(caller: Caller): void {
    this.#byCost.of(caller.cost)?.remove(caller);
    if (this.#tidying) return;
    this.#tidying = true;
    queueMicrotask(() => {
      this.#tidying = false;
      this.#tidy();
    });
  }

  /** Refuses everybody and gives everything back; resolves when what was under way has been given back too. */
  async close(error: unknown): Promise<void> {
    this.#closed = true;
    this.#backOff.cancel();
    this.#byCost.disarm();
    this.#queue.failAll(error);
    for (const queue of this.#byCost) {
      for (const caller of queue.drain()) caller.fail(error);
      this.#giveBack(queue);
    }
    if (!this.#fetching) this.#leaveLine();
    await this.#fetching;
    (await this.#hints)?.();
  }

  /** Those at the head of the queue get the instants that are spare, unless these come too late for them. */
  #admit(): void {
    for (let head = this.#queue.first; head; head = this.#queue.first) {
      const queue = this.#byCost.of(head.cost);
      if (!queue || queue.spare <= 0) return;
      this.#queue.take(head);
      if (!queue.admit(head)) head.expire();
    }
  }

  /** Spare instants go to those who wait for one, or back to the store. */
  #tidy(): void {
    if (this.#closed) return;
    this.#admit();
    for (const queue of this.#byCost) this.#giveBack(queue);
    if (this.#queue.queued === 0 && !this.#fetching) this.#leaveLine();
    this.#byCost.arm();
  }

  #giveBack(queue: CostQueue): void {
    for (const [id, keep] of queue.dropSpare()) this.#client.release(id, keep);
  }

  #leaveLine(): void {
    this.#backOff.cancel();
    if (this.#request) this.#client.release(this.#request.id, 0);
    this.#request = undefined;
  }

  /** Reserves for those in the queue, one round trip at a time. */
  #fetch(): void {
    if (this.#fetching || this.#backOff.waiting || this.#closed || this.#queue.queued === 0) return;
    this.#fetching = this.#fetchAll();
  }

  async #fetchAll(): Promise<void> {
    try {
      for (let head = this.#queue.first; head && !this.#closed; head = this.#queue.first)
        if (!(await this.#fetchFor(head))) return;
    } catch (error) {
      // An outage concerns everybody in the queue. Whether the request took effect, or stands in queue, is unknown: it
      // is given back.
      this.#queue.failAll(error);
      this.#leaveLine();
    } finally {
      this.#fetching = undefined;
      // A hint may have come between the refusal and here.
      this.#fetch();
    }
  }

  /** One round trip for the caller at the head and those like it behind; false when it was refused for now. */
  async #fetchFor({ cost }: Caller): Promise<boolean> {
    const { runtime, maxReserved, permitTtlMs } = this.#settings;
    if (this.#request?.cost !== cost) this.#leaveLine();
    this.#request ??= { id: randomId(runtime), cost, count: this.#blockSize(cost) };
    const { id, count } = this.#request;
    const queueMs = QUEUE_GRACE_MS + 2 * this.#lastFetch.roundTripMs;
    const sleeps = this.#sleep.count;
    const timed = await this.#client.reserve({ id, count, cost, maxReserved, queueMs });
    const { reservation, sentMs, receivedMs } = timed;
    this.#lastFetch.roundTripMs = receivedMs - sentMs;
    this.#noticeSleep();
    // Nobody knows when the answer was given: it goes back, and who waits asks again.
    if (this.#sleep.count !== sleeps && reservation.granted > 0) {
      this.#leaveLine();
      return true;
    }
    if (this.#closed || (reservation.granted === 0 && this.#queue.queued === 0)) {
      this.#leaveLine();
      return false;
    }
    if (reservation.granted === 0) {
      this.#turn = turnOf(this.#settings, reservation);
      this.#comeBack(reservation.retryAfterMs + this.#turn.waitMs);
      return false;
    }
    this.#request = undefined;
    // Far from the bound, nobody has to leave room to others.
    if (reservation.reservedAhead * 2 < maxReserved) this.#turn = NO_TURNS;
    this.#byCost.add(cost, heldInstants(id, timed, permitTtlMs));
    this.#admit();
    // At high rates what is spare is for those who come next. Otherwise those who asked have left meanwhile.
    if (cost !== 1 || !reservesAheadOfDemand(this.#settings)) this.#tidy();
    this.#serve();
    return true;
  }

  /**
   * Refused: come back when a permit is due, or when somebody gives one back. A pessimistic request adds jitter, so
   * that processes do not come back in step.
   */
  #comeBack(retryAfterMs: number): void {
    const { runtime, maxReserved, everyMs } = this.#settings;
    const jitterMs = maxReserved === 0 ? runtime.random() * Math.min(everyMs / 10, 50) : 0;
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(Math.min(1, everyMs), retryAfterMs));
    this.#backOff.wait(waitMs + jitterMs);
    if (this.#events.has("refused"))
      this.#events.emit("refused", { retryAfterMs: waitMs + jitterMs, waiting: this.waiting });
    this.#hints ??= this.#listen();
  }

  /**
   * Hints make waits shorter. Without them, or when they are lost, the timer alone ends each wait; the next refusal
   * tries to listen again.
   */
  async #listen(): Promise<(() => void) | undefined> {
    const endHints = await this.#client.onHint(() => this.#backOff.hint());
    if (!endHints) this.#hints = undefined;
    return endHints;
  }

  /**
   * Looked at before permits are used. On a machine that was suspended the local clock stood still: how late the
   * instants in hand are nobody knows. They go back, for others to use those that are still to come, and whoever waited
   * for them asks again.
   */
  #noticeSleep(): void {
    if (!this.#sleep.noticed()) return;
    for (const queue of this.#byCost) {
      for (const caller of queue.drain().reverse()) this.#queue.putBack(caller);
      this.#giveBack(queue);
    }
    this.#backOff.cancel();
  }

  #blockSize(cost: number): number {
    const nowMs = this.#settings.runtime.now();
    const { atMs, granted, roundTripMs } = this.#lastFetch;
    const perMs = (this.#granted - granted) / Math.max(1, nowMs - atMs);
    this.#lastFetch = { atMs: nowMs, granted: this.#granted, roundTripMs };
    if (cost !== 1) return 1;
    return Math.min(this.#turn.most, blockSize(this.#settings, this.#queue.queued, perMs, roundTripMs));
  }

  /**
   * Instants have come: they go to callers in the order these came. One past its life is wasted, and the last caller
   * without an instant queues again.
   */
  #serve(): void {
    const { runtime } = this.#settings;
    let unwanted = false;
    this.#admit();
    if ((this.#byCost.earliest?.nextMs ?? Number.POSITIVE_INFINITY) <= runtime.now()) this.#noticeSleep();
    for (let queue = this.#byCost.earliest; queue && queue.nextMs <= runtime.now(); queue = this.#byCost.earliest) {
      const nowMs = runtime.now();
      const { instant, caller } = queue.take(nowMs);
      if (caller) {
        this.#granted += 1;
        const lateMs = nowMs - instant.dueMs;
        caller.answer({ lateMs });
        if (this.#events.has("grant"))
          this.#events.emit("grant", { cost: caller.cost, lateMs, waitedMs: caller.waitedMs });
        continue;
      }
      this.#wasted += 1;
      if (this.#events.has("wasted")) this.#events.emit("wasted", { lateMs: nowMs - instant.dueMs });
      unwanted ||= nowMs <= instant.expiresMs;
      const unserved = queue.takeUnserved();
      if (unserved) this.#queue.putBack(unserved);
    }
    // Nobody came for an instant: the demand that the block was made for is over.
    if (unwanted) this.#tidy();
    this.#byCost.arm();
    this.#fetch();
  }
}

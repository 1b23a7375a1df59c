import type { DtError, Timer } from "@dt/core";
import { type AcquireSettings, type Wait, type Waiter, WaitingQueue } from "@dt/core/internal";
import { costError, notInTime, type Whose } from "./errors.ts";
import type { KeyHome } from "./key-home.ts";
import type { Outcome, Taken } from "./outcome.ts";

/** Units are reserved no farther ahead than that, in milliseconds: a day. */
const LONGEST_WAIT_MS = 86_400_000;
/** Of so many callers it is not counted what each of them needs. */
const MOST_BEHIND = 1_000;

/** A caller that waits. */
interface KeyedWait extends Wait {
  readonly deadlineMs: number;
  /** What it waits by: a limiter of one key may end while others of the key go on. */
  readonly owner: object;
}

/** How a key asks for one call. */
export interface KeyAsks extends Whose {
  /** True where a call needs units of a parent, too: what it was handed may still go back. */
  readonly hasParent: boolean;
  /**
   * What a call needs, or how long that takes.
   * @param behind units that the callers behind it need
   */
  obtain(cost: number, maxWaitMs: number, behind: number): Promise<Outcome>;
  /** Nobody waits any more. */
  served(): void;
}

/** The callers of one key that wait, by priority. */
export class KeyQueue {
  readonly #home: KeyHome;
  readonly #key: KeyAsks;
  readonly #queue: WaitingQueue<Taken, KeyedWait>;
  #timer: Timer | undefined;
  #dueMs = 0;
  /** Local time at which the limit last kept callers waiting: all who were there then have waited for it. */
  heldUpMs: number = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  /** There is news while the store is asked. */
  #isAsked = false;

  constructor(home: KeyHome, key: KeyAsks) {
    const { runtime, maxWaiters, acquireTimeoutMs } = home.settings;
    const { events } = home;
    this.#home = home;
    this.#key = key;
    this.#queue = new WaitingQueue({
      ...{ runtime, maxWaiters, acquireTimeoutMs },
      timeoutError: (_, timeoutMs, retryAfterMs) =>
        notInTime(key, timeoutMs, { retryAfterMs: retryAfterMs ?? this.restMs }),
    });
    this.#queue.onEmpty = () => {
      this.#cancel();
      key.served();
    };
    this.#queue.onFull = () => {
      if (events.has("queueFull")) events.emit("queueFull", { key: key.key, waiting: this.size });
    };
    this.#queue.onTimeout = ({ waitedMs }) => {
      if (events.has("timedOut")) events.emit("timedOut", { key: key.key, waitedMs });
    };
  }

  get size(): number {
    return this.#queue.size;
  }

  /** True while callers wait for the limit, and not only for the store's answer. */
  get isHeldUp(): boolean {
    return this.#timer !== undefined;
  }

  /** The time until the next caller may be served, in milliseconds, as far as it is known. */
  get restMs(): number | undefined {
    return this.#timer && Math.max(0, this.#dueMs - this.#home.settings.runtime.now());
  }

  /** A caller comes. */
  join(cost: number, { timeoutMs, signal, priority }: AcquireSettings, owner: object): Promise<Taken> {
    const { runtime, acquireTimeoutMs } = this.#home.settings;
    const deadlineMs = runtime.now() + (timeoutMs ?? acquireTimeoutMs ?? Number.POSITIVE_INFINITY);
    const joined = this.#queue.join({ cost, timeoutMs, signal, priority, deadlineMs, owner });
    if (this.#timer === undefined || this.#queue.queued === 1) this.serve();
    return joined;
  }

  /** Asks for the first caller. */
  serve(): void {
    this.#cancel();
    this.#isAsked = this.#isAsking;
    if (!this.#isAsking && this.#queue.first) void this.#ask();
  }

  /** Refuses the callers of an owner that ends, or all of them. */
  close(error: DtError, owner?: object): void {
    for (const waiter of this.#queue.inOrder)
      if (owner === undefined || waiter.want.owner === owner) waiter.fail(error);
  }

  async #ask(): Promise<void> {
    const { runtime } = this.#home.settings;
    this.#isAsking = true;
    try {
      for (let first = this.#queue.first; first; first = this.#queue.first) {
        // Its timer may be late.
        const restMs = Math.max(0, first.want.deadlineMs - runtime.now());
        const outcome = await this.#key.obtain(first.cost, Math.min(restMs, LONGEST_WAIT_MS), this.#behind(first.cost));
        if (outcome.allowed) {
          this.#hand(outcome, first.cost);
          continue;
        }
        const { retryAfterMs, limitedBy, limit } = outcome;
        if (first.cost > limit.burst) {
          first.fail(costError(first.cost, limit.burst));
          continue;
        }
        if (limitedBy === "rate" && runtime.now() + retryAfterMs > first.want.deadlineMs) {
          this.#heldUp();
          first.expire(retryAfterMs);
          continue;
        }
        this.#wait(limitedBy === "rate" ? retryAfterMs : Math.min(retryAfterMs, this.#home.retryMs));
        return;
      }
    } catch (error) {
      // An outage concerns every caller that waits.
      this.#queue.failAll(error);
    } finally {
      this.#isAsking = false;
    }
    if (this.#isAsked) this.serve();
  }

  /** Units for those behind the first: of the next few, since many may wait. */
  #behind(cost: number): number {
    return this.#queue.size > MOST_BEHIND ? MOST_BEHIND : this.#queue.cost - cost;
  }

  /** What was taken goes to the caller that is first now: the one it was asked for may have left. */
  #hand(taken: Taken, cost: number): void {
    const first: Waiter<Taken, KeyedWait> | undefined = this.#queue.first;
    if (!first || first.cost > cost) {
      taken.refund();
      return;
    }
    first.answer(taken);
    // Before the next request goes out: units that it does not report as spent take up room, and the next caller waits
    // longer.
    if (!this.#key.hasParent) taken.confirm();
  }

  #wait(ms: number): void {
    const { runtime } = this.#home.settings;
    this.#heldUp();
    this.#dueMs = runtime.now() + ms;
    this.#timer = runtime.setTimer(() => this.serve(), ms, { keepAlive: false });
  }

  #heldUp(): void {
    this.heldUpMs = this.#home.settings.runtime.now();
    this.#home.limited();
  }

  #cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

import { DtError } from "../errors/dt-error.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import { PriorityFifo } from "./priority-fifo.ts";
import { type CallResult, resultOf } from "./tally.ts";
import { whenAborted } from "./when-aborted.ts";

/** What somebody waits for, and for how long. */
export interface Wait {
  /** What it takes to serve it, in units of whatever the queue is served with. */
  readonly cost: number;
  /** So much of it is waited for; the rest is welcome if it is there. Default all of it. */
  readonly needs?: number | undefined;
  /** The call's own time. Without it the queue's `acquireTimeoutMs` counts, if it has one. */
  readonly timeoutMs: number | undefined;
  /** Aborting it fails the wait with its reason. */
  readonly signal: AbortSignal | undefined;
  /** The highest is served first. Default 0. */
  readonly priority?: number | undefined;
}

export interface QueueOptions<Want extends Wait> {
  readonly runtime: Runtime;
  /** Most that may wait at once. */
  readonly maxWaiters: number;
  /** How long a call may wait that set no time; undefined: for as long as it takes. */
  readonly acquireTimeoutMs: number | undefined;
  /**
   * The `DT_TIMEOUT` of a call whose time is up.
   * @param timeoutMs its own time, or the queue's
   * @param retryAfterMs when it could have been served, in milliseconds from now, where that is known
   */
  readonly timeoutError: (want: Want, timeoutMs: number | undefined, retryAfterMs: number | undefined) => unknown;
  /**
   * Which call of one priority is first: the one that came first (`fifo`, the default), or the one that came last
   * (`lifo`). Where more come than can be served, `lifo` serves some of them in time, `fifo` all of them late.
   */
  readonly order?: "fifo" | "lifo";
}

/** What a waiter has of its queue. */
interface Home<Answer, Want extends Wait> {
  readonly options: QueueOptions<Want>;
  left(waiter: Waiter<Answer, Want>, result: CallResult): void;
  timedOut(waiter: Waiter<Answer, Want>): void;
  gaveUp(waiter: Waiter<Answer, Want>): void;
}

/**
 * Somebody in a queue. Leaves it once, in one of three ways. A class, since a closure for each of them would take twice
 * the memory.
 */
export class Waiter<Answer, Want extends Wait = Wait> {
  readonly want: Want;
  /** What it still takes to serve it. */
  cost: number;
  readonly #home: Home<Answer, Want>;
  readonly #sinceMs: number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: Timer | undefined;
  readonly #stopListening: (() => void) | undefined;
  #isIn = true;

  /** Made by {@link WaitingQueue.join}. */
  constructor(
    home: Home<Answer, Want>,
    want: Want,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    const { signal } = want;
    const { runtime } = home.options;
    this.want = want;
    this.cost = want.cost;
    this.#home = home;
    this.#sinceMs = runtime.now();
    this.#resolve = resolve;
    this.#reject = reject;
    const endsInMs = this.#timeoutMs;
    if (endsInMs !== undefined)
      this.#timer = runtime.setTimer(() => {
        this.expire();
        home.gaveUp(this);
      }, endsInMs);
    this.#stopListening = signal && whenAborted(signal, () => this.giveUp());
  }

  /** How long it has waited by now, in milliseconds. */
  get waitedMs(): number {
    return this.#home.options.runtime.now() - this.#sinceMs;
  }

  get priority(): number {
    return this.want.priority ?? 0;
  }

  get #timeoutMs(): number | undefined {
    return this.want.timeoutMs ?? this.#home.options.acquireTimeoutMs;
  }

  answer(answer: Answer): void {
    if (this.#leaves("granted")) this.#resolve(answer);
  }

  fail(error: unknown, result: CallResult = resultOf(error)): void {
    if (this.#leaves(result)) this.#reject(error);
  }

  /** Its signal was aborted. */
  giveUp(): void {
    this.fail(this.want.signal?.reason, "canceled");
    this.#home.gaveUp(this);
  }

  /**
   * Its time is up, or will be before it can be served.
   * @param retryAfterMs when it could have been served, in milliseconds from now, where that is known
   */
  expire(retryAfterMs?: number): void {
    this.#home.timedOut(this);
    this.fail(this.#home.options.timeoutError(this.want, this.#timeoutMs, retryAfterMs), "timedOut");
  }

  /** False where it has left already: a listener that was told that its time is up may have served it. */
  #leaves(result: CallResult): boolean {
    if (!this.#isIn) return false;
    this.#isIn = false;
    this.#timer?.cancel();
    this.#stopListening?.();
    this.#home.left(this, result);
    return true;
  }
}

/** The one timer that keeps the process running while anybody waits is armed anew after so long. */
const KEPT_ALIVE_MS = 3_600_000;

/**
 * A bounded queue of callers, each with a priority, and perhaps a time and a signal that end its waiting. The owner of
 * the queue serves the first as soon as it can. A costly one is not passed by cheaper ones of its priority, or it would
 * wait for ever.
 * While a caller waits, the process goes on: what serves the queue may be timers that do not keep it running.
 */
export class WaitingQueue<Answer, Want extends Wait = Wait> {
  /** Told of each that joins: for an owner that serves in an order of its own. */
  onJoined: (waiter: Waiter<Answer, Want>) => void = () => undefined;
  /** Told of each that leaves, in whatever way, before `onEmpty`. */
  onLeft: (waiter: Waiter<Answer, Want>) => void = () => undefined;
  /** Told how each came out that leaves, before `onLeft`, and of each that was refused because as many wait as may. */
  onDecided: (result: CallResult, want: Want, waitedMs: number) => void = () => undefined;
  /** Told when nobody waits any more. */
  onEmpty: () => void = () => undefined;
  /** Told of one that has left on its own: its signal was aborted, or its time was up. */
  onGiveUp: (waiter: Waiter<Answer, Want>) => void = () => undefined;
  /** Told of one whose time is up, while it still is in the queue. */
  onTimeout: (waiter: Waiter<Answer, Want>) => void = () => undefined;
  /** Told when one was refused because as many wait as may. */
  onFull: () => void = () => undefined;
  readonly #options: QueueOptions<Want>;
  readonly #home: Home<Answer, Want>;
  readonly #order: PriorityFifo<Waiter<Answer, Want>>;
  /** The one that is first whatever comes. */
  #kept: Waiter<Answer, Want> | undefined;
  #size = 0;
  #keepsAlive: Timer | undefined;

  constructor(options: QueueOptions<Want>) {
    this.#options = options;
    this.#order = new PriorityFifo(options.order ?? "fifo");
    const left = (waiter: Waiter<Answer, Want>, result: CallResult): void => {
      this.take(waiter);
      this.#size -= 1;
      this.onDecided(result, waiter.want, waiter.waitedMs);
      this.onLeft(waiter);
      if (this.#size > 0) return;
      this.#keepsAlive?.cancel();
      this.#keepsAlive = undefined;
      this.onEmpty();
    };
    const timedOut = (waiter: Waiter<Answer, Want>): void => this.onTimeout(waiter);
    this.#home = { options, left, timedOut, gaveUp: (waiter) => this.onGiveUp(waiter) };
  }

  /** Everybody who waits, those taken out of the order as well. */
  get size(): number {
    return this.#size;
  }

  /** How many are in the order. */
  get queued(): number {
    return this.#order.size;
  }

  /** What it still takes to serve everybody in the order. O(n). */
  get cost(): number {
    let cost = 0;
    for (const waiter of this.#order) cost += waiter.want.needs ?? waiter.cost;
    return cost;
  }

  /**
   * The one to be served next. Callers whose signal was aborted give up here: of several with one signal, the first to
   * be told would otherwise hand on to the next.
   */
  get first(): Waiter<Answer, Want> | undefined {
    for (;;) {
      const first = this.#kept ?? this.#order.first;
      if (!first?.want.signal?.aborted) return first;
      first.giveUp();
    }
  }

  /** The one that would be served after all others. */
  get last(): Waiter<Answer, Want> | undefined {
    return this.#order.last;
  }

  /** Those in the order, as they are now. O(n). */
  get inOrder(): readonly Waiter<Answer, Want>[] {
    return [...this.#order];
  }

  /** Of those with this cost, the one to be served next. O(those before it). */
  firstOf(cost: number): Waiter<Answer, Want> | undefined {
    for (const waiter of this.#order) if (waiter.cost === cost) return waiter;
    return undefined;
  }

  /** Keeps a caller of the order first until it leaves, since it was served in part: a higher priority waits, too. */
  keepFirst(waiter: Waiter<Answer, Want>): void {
    this.#kept = waiter;
  }

  /** True while one that was served in part is first. */
  get keepsFirst(): boolean {
    return this.#kept !== undefined;
  }

  /**
   * Joins the queue. Resolves to the answer; rejects with `timeoutError`, with the signal's reason, or as the owner has
   * it fail.
   * @throws DtError `DT_QUEUE_FULL`
   */
  join(want: Want): Promise<Answer> {
    const { maxWaiters } = this.#options;
    if (this.#size >= maxWaiters) {
      this.onFull();
      this.onDecided("refused", want, 0);
      throw new DtError(
        "DT_QUEUE_FULL",
        `maxWaiters is ${maxWaiters} and as many callers wait already; ask for less at once, or raise it`,
      );
    }
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(this.#home, want, resolve, reject);
      this.#order.push(waiter);
      this.#size += 1;
      this.onJoined(waiter);
      if (this.#size === 1) this.#keepAlive();
    });
  }

  #keepAlive(): void {
    this.#keepsAlive = this.#options.runtime.setTimer(() => this.#keepAlive(), KEPT_ALIVE_MS);
  }

  /** Takes somebody out of the order who is about to be served. It still waits, and may still give up. */
  take(waiter: Waiter<Answer, Want>): void {
    if (waiter === this.#kept) this.#kept = undefined;
    this.#order.remove(waiter);
  }

  /** Puts a caller back that was taken out and cannot be served after all: before the others of its priority. */
  putBack(waiter: Waiter<Answer, Want>): void {
    this.#order.putBack(waiter);
  }

  /** Fails everybody in the order. */
  failAll(error: unknown): void {
    for (const waiter of this.#order.drain()) waiter.fail(error);
  }
}

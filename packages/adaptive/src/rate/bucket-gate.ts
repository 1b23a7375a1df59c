import { DtError, type Runtime, type Timer } from "@dt/core";
import { describe, WaitingQueue } from "@dt/core/internal";
import type { GateWait, RateGate } from "./gate.ts";

/** The calls of so many seconds may come at once. */
const BURST_S = 1;

/** As near as rounding lets a time come to the instant of a token. */
const NEARLY = 1e-9;

/** What a bucket is made of. */
export interface BucketOptions {
  readonly runtime: Runtime;
  readonly name: string;
  readonly maxWaiters: number;
  readonly acquireTimeoutMs: number | undefined;
}

/**
 * A token bucket whose rate changes, for one process. A call that costs more than the bucket holds waits until it is
 * full, and leaves a debt: the next one waits until that is paid, so that the rate holds.
 */
export class BucketGate implements RateGate {
  readonly members = 1;
  readonly bunchMs = 0;
  readonly maxWaiters: number;
  readonly isLimiting = true;
  readonly unset = Number.POSITIVE_INFINITY;
  readonly #runtime: Runtime;
  readonly #queue: WaitingQueue<undefined>;
  #rate = Number.POSITIVE_INFINITY;
  #tokens = 0;
  #filledMs: number;
  #wake: Timer | undefined;

  constructor({ runtime, name, maxWaiters, acquireTimeoutMs }: BucketOptions) {
    this.#runtime = runtime;
    this.maxWaiters = maxWaiters;
    this.#filledMs = runtime.now();
    this.#queue = new WaitingQueue<undefined>({
      runtime,
      maxWaiters,
      acquireTimeoutMs,
      timeoutError: ({ cost }, timeoutMs = 0) => this.#timeoutError(name, cost, timeoutMs),
    });
    this.#queue.onGiveUp = () => this.#serve();
  }

  pass(cost: number): boolean {
    return this.#queue.size === 0 && this.#take(cost);
  }

  passOnceStarted({ cost }: GateWait): boolean {
    return this.pass(cost);
  }

  wait(wait: GateWait): Promise<void> {
    const joined = this.#queue.join(wait);
    this.#serve();
    return joined;
  }

  dueInMs(cost: number): number | undefined {
    if (this.#rate === 0 || this.#queue.size > 0) return undefined;
    this.#fill();
    return this.#waitMs(cost);
  }

  set(rate: number): void {
    this.#fill();
    this.#rate = rate;
    this.#tokens = Math.min(this.#tokens, this.#most);
    this.#serve();
  }

  stop(error: unknown): void {
    this.#wake?.cancel();
    this.#queue.failAll(error);
  }

  get #most(): number {
    return Math.max(1, this.#rate * BURST_S);
  }

  #fill(): void {
    const nowMs = this.#runtime.now();
    if (this.#rate < Number.POSITIVE_INFINITY)
      this.#tokens = Math.min(this.#most, this.#tokens + ((nowMs - this.#filledMs) / 1_000) * this.#rate);
    this.#filledMs = nowMs;
  }

  #take(cost: number): boolean {
    if (this.#rate === Number.POSITIVE_INFINITY) return true;
    if (this.#rate === 0) return false;
    this.#fill();
    if (this.#tokens < Math.min(cost, this.#most) - NEARLY) return false;
    this.#tokens -= cost;
    return true;
  }

  #waitMs(cost: number): number {
    if (this.#rate === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, ((Math.min(cost, this.#most) - this.#tokens) / this.#rate) * 1_000);
  }

  /** Lets the callers pass that may, and comes back when the next one may. */
  #serve(): void {
    for (let waiter = this.#queue.first; waiter !== undefined && this.#take(waiter.cost); waiter = this.#queue.first)
      waiter.answer(undefined);
    const { first } = this.#queue;
    this.#wake?.cancel();
    if (first === undefined || this.#rate === 0) return;
    this.#wake = this.#runtime.setTimer(() => this.#serve(), Math.max(0.01, this.#waitMs(first.cost)));
  }

  #timeoutError(name: string, cost: number, timeoutMs: number): DtError {
    // Of a caller that has others before it, nothing is known.
    const retryAfterMs = this.#queue.size === 1 && this.#rate > 0 ? this.#waitMs(cost) : undefined;
    return timeoutError(name, timeoutMs, retryAfterMs);
  }
}

/** No call was let through within the caller's time. */
export function timeoutError(name: string, timeoutMs: number, retryAfterMs: number | undefined): DtError {
  return new DtError(
    "DT_TIMEOUT",
    `the adaptive rate ${describe(name)} let no call through within ${timeoutMs} ms; try again later, or wait longer`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

/** No call may pass now, and the caller does not wait. */
export function limitedError(name: string, retryAfterMs: number | undefined): DtError {
  return new DtError(
    "DT_LIMITED",
    `the adaptive rate ${describe(name)} lets no call through now; try again later, or wait`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

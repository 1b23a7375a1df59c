import { DtError, type Runtime, type Timer } from "@dt/core";
import { orUndefined, type Wait, WaitingQueue } from "@dt/core/internal";
import { type GateWait, type RateGate, stoppedError } from "./gate.ts";

/** The calls of so many seconds may come at once. */
const BURST_S = 1;

export interface BucketOptions {
  readonly runtime: Runtime;
  readonly name: string;
  readonly maxWaiters: number;
  readonly acquireTimeoutMs: number | undefined;
}

/** A token bucket whose rate changes, for one process. */
export class BucketGate implements RateGate {
  readonly members = 1;
  readonly bunchMs = 0;
  readonly unset = Number.POSITIVE_INFINITY;
  readonly #runtime: Runtime;
  readonly #queue: WaitingQueue<true>;
  readonly #name: string;
  #rate = Number.POSITIVE_INFINITY;
  #tokens = 0;
  #filledMs: number;
  #wake: Timer | undefined;
  #stopped = false;

  constructor({ runtime, name, maxWaiters, acquireTimeoutMs }: BucketOptions) {
    this.#runtime = runtime;
    this.#name = name;
    this.#filledMs = runtime.now();
    const timeoutError = (): DtError =>
      new DtError(
        "DT_TIMEOUT",
        `no call at the rate of ${JSON.stringify(name)} within acquireTimeout (${acquireTimeoutMs} ms); pass { timeout } to be answered undefined instead`,
      );
    this.#queue = new WaitingQueue<true>({ runtime, maxWaiters, acquireTimeoutMs, timeoutError });
    this.#queue.onGiveUp = () => this.#serve();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  pass(): boolean {
    return this.#queue.size === 0 && !this.#stopped && this.#take();
  }

  async wait({ timeoutMs, signal }: GateWait): Promise<boolean> {
    if (signal?.aborted) throw signal.reason;
    if (this.#stopped) throw stoppedError(this.#name);
    if (this.pass()) return true;
    if (timeoutMs === 0) return false;
    const wait: Wait = { cost: 1, timeoutMs, signal };
    const joined = orUndefined(this.#queue.join(wait), timeoutMs);
    this.#serve();
    return (await joined) === true;
  }

  set(rate: number): void {
    this.#fill();
    this.#rate = rate;
    this.#tokens = Math.min(this.#tokens, this.#most);
    this.#serve();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake?.cancel();
    this.#queue.failAll(stoppedError(this.#name));
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

  #take(): boolean {
    if (this.#rate === Number.POSITIVE_INFINITY) return true;
    if (this.#rate === 0) return false;
    this.#fill();
    // As near as rounding lets a time come to the instant of a token.
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Lets those pass who may, and comes back when the next one may. */
  #serve(): void {
    this.#wake?.cancel();
    this.#wake = undefined;
    for (let waiter = this.#queue.first; waiter !== undefined && this.#take(); waiter = this.#queue.first)
      waiter.answer(true);
    if (this.#queue.size === 0 || this.#rate === 0) return;
    this.#wake = this.#runtime.setTimer(() => this.#serve(), Math.max(0.01, ((1 - this.#tokens) / this.#rate) * 1_000));
  }
}

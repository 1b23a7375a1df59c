import { isDtError, type Throttle } from "@dt/core";
import { whenAborted } from "@dt/core/internal";
import type { GateWait, RateGate } from "./gate.ts";

/** What an adaptive rate needs of a throttle. */
export type CappedThrottle = Pick<Throttle, "tryAcquire" | "acquire" | "run" | "cap" | "status"> &
  Partial<Pick<Throttle, "pauseUntil">>;

/**
 * The calls of a throttle, whose level is capped at the rate. The rate is that of the whole fleet: what one member sees
 * of the callee stands for all of them.
 */
export class ThrottleGate implements RateGate {
  readonly #throttle: CappedThrottle;
  /** Calls back the callers that wait. */
  readonly #waits = new Set<AbortController>();

  constructor(throttle: CappedThrottle) {
    this.#throttle = throttle;
  }

  get members(): number {
    return Math.max(1, this.#throttle.status().members);
  }

  get bunchMs(): number {
    return this.#throttle.status().intervalMs;
  }

  get maxWaiters(): number | undefined {
    return this.#throttle.status().maxWaiters;
  }

  get isLimiting(): boolean {
    return this.#throttle.status().limiting;
  }

  get unset(): number {
    const { level, intervalMs } = this.#throttle.status();
    return (level / intervalMs) * 1_000;
  }

  pass(cost: number): boolean {
    return this.#throttle.tryAcquire(cost);
  }

  wait({ cost, timeoutMs, signal, priority }: GateWait): Promise<void> {
    return this.#calledBack(signal, (ends) =>
      this.#throttle.acquire(cost, { timeout: timeoutMs, signal: ends, priority }),
    );
  }

  async passOnceStarted({ cost, timeoutMs, signal }: GateWait): Promise<boolean> {
    const options = { cost, timeout: timeoutMs, whenLimited: "throw" } as const;
    try {
      await this.#calledBack(signal, (ends) => this.#throttle.run(() => undefined, { ...options, signal: ends }));
      return true;
    } catch (error) {
      if (isDtError(error, "DT_LIMITED")) return false;
      throw error;
    }
  }

  /** What waits ends with its own signal, and with the rate. */
  async #calledBack(signal: AbortSignal | undefined, wait: (ends: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const stopListening = signal && whenAborted(signal, () => controller.abort(signal.reason));
    this.#waits.add(controller);
    try {
      await wait(controller.signal);
    } finally {
      this.#waits.delete(controller);
      stopListening?.();
    }
  }

  /** The next epoch brings tokens, as far as the member has a share of it. */
  dueInMs(): number {
    return this.#throttle.status().epochEndsInMs;
  }

  /** At least one token an interval, unless it is 0: with less no call would ever tell that the callee takes more. */
  set(rate: number): void {
    const level = (rate * this.#throttle.status().intervalMs) / 1_000;
    this.#throttle.cap(rate === 0 ? 0 : Math.max(1, level));
  }

  /** The throttle goes on, without the cap. */
  stop(error: unknown): void {
    for (const controller of this.#waits) controller.abort(error);
    this.#throttle.cap();
  }
}

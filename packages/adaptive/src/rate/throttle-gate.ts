import type { Throttle } from "@dt/core";
import { type GateWait, type RateGate, stoppedError } from "./gate.ts";

/** What an adaptive rate needs of a throttle. */
export type CappedThrottle = Pick<Throttle, "tryAcquire" | "acquire" | "cap" | "status">;

/**
 * The calls of a throttle, whose level is capped at the rate. The rate is that of the whole fleet: what one member sees
 * of the callee stands for all of them.
 */
export class ThrottleGate implements RateGate {
  readonly #throttle: CappedThrottle;
  readonly #name: string;
  #stopped = false;

  constructor(throttle: CappedThrottle, name: string) {
    this.#throttle = throttle;
    this.#name = name;
  }

  get members(): number {
    return Math.max(1, this.#throttle.status().members);
  }

  get bunchMs(): number {
    return this.#throttle.status().intervalMs;
  }

  get unset(): number {
    const { level, intervalMs } = this.#throttle.status();
    return (level / intervalMs) * 1_000;
  }

  get waiting(): number {
    return this.#throttle.status().waiting;
  }

  pass(): boolean {
    return !this.#stopped && this.#throttle.tryAcquire(1) === 1;
  }

  async wait({ timeoutMs, signal }: GateWait): Promise<boolean> {
    if (this.#stopped) throw stoppedError(this.#name);
    return (await this.#throttle.acquire(1, { timeout: timeoutMs, signal })) !== undefined;
  }

  /** At least one token an interval, unless it is 0: with less no call would ever tell that the callee takes more. */
  set(rate: number): void {
    const level = (rate * this.#throttle.status().intervalMs) / 1_000;
    this.#throttle.cap(rate === 0 ? 0 : Math.max(1, level));
  }

  /** Who waits already has its turn from the throttle, which goes on. */
  stop(): void {
    this.#stopped = true;
    this.#throttle.cap();
  }
}

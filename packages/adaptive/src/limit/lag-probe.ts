import type { Runtime, Timer } from "@dt/core";

/** How often the probe looks, in milliseconds. */
const PERIOD_MS = 20;

/** Timers are late by a millisecond or two even where nothing is in the way: so much does not count. */
const USUAL_MS = 5;

/**
 * Tells for how long the event loop was late. While it is held up, answers that have arrived wait to be read, and each of them seems to have taken longer than the callee
 * took. A timer that looks every 20 ms while calls are in flight, and that alone keeps no process running.
 */
export class LagProbe {
  readonly #runtime: Runtime;
  readonly #wanted: () => boolean;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #lateMs = 0;

  /** @param wanted says whether to go on looking */
  constructor(runtime: Runtime, wanted: () => boolean) {
    this.#runtime = runtime;
    this.#wanted = wanted;
  }

  get running(): boolean {
    return this.#timer !== undefined;
  }

  start(nowMs: number): void {
    this.#dueMs = nowMs + PERIOD_MS;
    this.#timer = this.#runtime.setTimer(() => this.#look(), PERIOD_MS, { keepAlive: false });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** For how long the loop was late since this was asked last, in milliseconds. */
  take(nowMs: number): number {
    // Answers may be read before the timer has its turn.
    const lateMs = this.#lateMs + unusual(nowMs - this.#dueMs);
    this.#lateMs = 0;
    return lateMs;
  }

  #look(): void {
    const nowMs = this.#runtime.now();
    this.#lateMs += unusual(nowMs - this.#dueMs);
    this.stop();
    if (this.#wanted()) this.start(nowMs);
  }
}

function unusual(lateMs: number): number {
  return lateMs > USUAL_MS ? lateMs : 0;
}

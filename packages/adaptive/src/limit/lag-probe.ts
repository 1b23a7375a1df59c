import type { Runtime, Timer } from "@dt/core";

/** How often the probe looks, in milliseconds. */
const PERIOD_MS = 10;

/** Timers are late by a millisecond or two even where nothing is in the way: so much does not count. */
const USUAL_MS = 5;

/**
 * Where the loop is held up for less than this part of the time, most answers come in time, whatever happens to the
 * others.
 */
const SELDOM = 0.1;

/**
 * Tells how much the event loop added to what calls seem to have taken. While it is held up, answers that have arrived
 * wait to be read. A timer that looks every 10 ms while calls are in flight, and that alone keeps no process running.
 */
export class LagProbe {
  readonly #runtime: Runtime;
  readonly #wanted: () => boolean;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** The times for which the loop was held up: their sum, the sum of their squares, and the longest. */
  #heldMs = 0;
  #squares = 0;
  #longestMs = 0;

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

  /** Begins anew. */
  forget(): void {
    this.#heldMs = 0;
    this.#squares = 0;
    this.#longestMs = 0;
  }

  /**
   * Whether the loop added more than `part` of the shortest latency to an answer on average, since it began anew
   * `lastMs` ago. Of all answers `held / lastMs` come while it is held up, and each of these waits for half of that
   * time. Even the shortest may have waited.
   */
  added(nowMs: number, lastMs: number, part: number, shortestMs: number): boolean {
    // Answers may be read before the timer has its turn.
    this.#note(nowMs - this.#dueMs);
    if (this.#heldMs < SELDOM * lastMs) return false;
    return this.#squares / (2 * lastMs) > part * Math.max(0, shortestMs - this.#longestMs);
  }

  #look(): void {
    const nowMs = this.#runtime.now();
    this.#note(nowMs - this.#dueMs);
    this.stop();
    if (this.#wanted()) this.start(nowMs);
  }

  #note(lateMs: number): void {
    if (lateMs <= USUAL_MS) return;
    this.#heldMs += lateMs;
    this.#squares += lateMs * lateMs;
    this.#longestMs = Math.max(this.#longestMs, lateMs);
  }
}

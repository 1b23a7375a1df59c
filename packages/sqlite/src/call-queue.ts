import type { Runtime, Timer } from "@dt/core";
import type { Call } from "@dt/core/store";
import { BUSY } from "./connection.ts";
import { NextTicks } from "./next-ticks.ts";

/** Pause before a locked file is tried again, in milliseconds: a transaction takes a tenth of one. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;
/** Calls served before the event loop has its turn again. */
const PORTION = 64;

/** Runs a call if it can; false when the file is locked. */
type Attempt = () => boolean;

/**
 * The calls of one process, one at a time and in order. Those that find the file locked by another process wait for one
 * timer with jitter, so that a thousand waiting calls do not try a thousand times.
 */
export class CallQueue {
  readonly #runtime: Runtime;
  readonly #ticks = new NextTicks();
  readonly #queue: Attempt[] = [];
  #pause: Timer | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Runs `attempt` as soon as it does not answer {@link BUSY}, unless the call is over by then. */
  async run<T>(call: Call, attempt: () => T | typeof BUSY): Promise<T> {
    await this.#ticks.next();
    return new Promise<T>((resolve, reject) => {
      const attemptOnce = (): boolean => {
        if (call.signal.aborted) return true;
        try {
          const result = attempt();
          if (result !== BUSY) resolve(result);
          // What had begun was rolled back.
          else call.sent = false;
          return result !== BUSY;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      if (this.#queue.length > 0 || !attemptOnce()) this.#enter(call.signal, attemptOnce);
    });
  }

  #enter(over: AbortSignal, attemptOnce: Attempt): void {
    const leave = (): void => {
      over.removeEventListener("abort", leave);
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      if (this.#queue.length === 0) this.#stopPause();
    };
    const waiting = (): boolean => {
      const settled = attemptOnce();
      if (settled) leave();
      return settled;
    };
    over.addEventListener("abort", leave, { once: true });
    this.#queue.push(waiting);
    this.#rest();
  }

  #rest(): void {
    if (this.#pause || this.#queue.length === 0) return;
    const pauseMs = SHORTEST_PAUSE_MS + this.#runtime.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    this.#pause = this.#runtime.setTimer(() => {
      this.#pause = undefined;
      void this.#serve();
    }, pauseMs);
  }

  async #serve(): Promise<void> {
    for (let served = 0; served < PORTION; served++) {
      await this.#ticks.next();
      if (!this.#queue[0]?.()) break;
    }
    this.#rest();
  }

  #stopPause(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
  }
}

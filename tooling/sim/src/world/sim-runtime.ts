import type { Runtime, Timer } from "@dt/core";
import type { Random } from "../engine/random.ts";
import type { Timeline } from "../engine/timeline.ts";

/** What a runtime asks of the process it belongs to. */
export interface Host {
  /** Runs now, later (when the process is paused), or never (when it is gone). */
  deliver(kind: "timer" | "message", run: () => void): void;
}

/** Time, timers and chance of one boot of a process: a monotonic clock with its own origin and rate, timers that fire a little late. */
export class SimRuntime implements Runtime {
  readonly #timeline: Timeline;
  readonly #host: Host;
  readonly #random: Random;
  readonly #originMs: number;
  readonly #rate: number;

  constructor(timeline: Timeline, host: Host, random: Random, drift: number) {
    this.#timeline = timeline;
    this.#host = host;
    this.#random = random;
    // Some clocks start near zero, as in a fresh process; some far above the store's time.
    const start = random.chance(0.4) ? random.between(2e12, 3e12) : random.between(0, 1e6);
    this.#rate = 1 + random.between(-drift, drift);
    this.#originMs = start - timeline.nowMs * this.#rate;
  }

  now(): number {
    return this.#originMs + this.#timeline.nowMs * this.#rate;
  }

  random(): number {
    return this.#random.next();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const latenessMs = this.#random.chance(0.02) ? this.#random.between(1, 12) : this.#random.between(0.05, 1);
    return this.#arm(callback, delayMs, latenessMs);
  }

  /** A timer that is never late: for callers that aim at an instant. */
  setExactTimer(callback: () => void, delayMs: number): Timer {
    return this.#arm(callback, delayMs, 0);
  }

  #arm(callback: () => void, delayMs: number, latenessMs: number): Timer {
    let live = true;
    const event = this.#timeline.after(Math.max(0, delayMs) / this.#rate + latenessMs, () =>
      this.#host.deliver("timer", () => {
        if (!live) return;
        live = false;
        callback();
      }),
    );
    return {
      cancel: () => {
        live = false;
        event.cancelled = true;
      },
    };
  }
}

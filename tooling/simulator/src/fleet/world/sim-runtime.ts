import type { Runtime, Timer } from "@dt/core";
import type { Random } from "../../random.ts";
import type { WorldEvent } from "../engine/event-queue.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { BootReading } from "../plan/plan.ts";

/** What a runtime asks of the process it belongs to. */
export interface Host {
  /** Runs now, later (when the process is paused), or never (when it is gone). */
  deliver(kind: "timer" | "message", run: () => void): void;
}

/** How exactly a host tells its boot time, in milliseconds. */
const READINGS: Readonly<Record<BootReading, number>> = { none: 0, exact: 10, seconds: 1_000 };

/**
 * Time, timers and chance of one boot of a process: a monotonic clock with its own origin and rate, timers that fire a
 * little late.
 */
export class SimRuntime implements Runtime {
  readonly #timeline: Timeline;
  readonly #host: Host;
  readonly #random: Random;
  readonly #originMs: number;
  readonly #rate: number;
  /** Events of timers that are set. */
  readonly #timers = new Set<{ event: WorldEvent }>();
  /**
   * World time at which the machine was suspended last, when it woke, and for how long it was suspended before that.
   */
  #sleep = { fromMs: 0, untilMs: 0, beforeMs: 0 };
  readonly bootTimeMs?: () => number;

  constructor(timeline: Timeline, host: Host, random: Random, drift: number, reading: BootReading = "none") {
    this.#timeline = timeline;
    this.#host = host;
    this.#random = random;
    // Some clocks start near zero, as in a fresh process; some far above the store's time.
    const start = random.chance(0.4) ? random.between(2e12, 3e12) : random.between(0, 1e6);
    this.#rate = 1 + random.between(-drift, drift);
    this.#originMs = start - timeline.nowMs * this.#rate;
    const unitMs = READINGS[reading];
    if (unitMs > 0) this.bootTimeMs = () => Math.floor((timeline.nowMs * this.#rate) / unitMs) * unitMs;
  }

  now(): number {
    return this.#originMs + (this.#timeline.nowMs - this.#suspendedMs()) * this.#rate;
  }

  /** The machine is suspended for so long: this clock stands still, and timers with it. */
  suspend(forMs: number): void {
    const { nowMs } = this.#timeline;
    this.#sleep = { fromMs: nowMs, untilMs: nowMs + forMs, beforeMs: this.#suspendedMs() };
    for (const timer of this.#timers) {
      timer.event.cancelled = true;
      timer.event = this.#timeline.at(timer.event.atMs + forMs, timer.event.run);
    }
  }

  #suspendedMs(): number {
    const { fromMs, untilMs, beforeMs } = this.#sleep;
    return beforeMs + Math.min(this.#timeline.nowMs, untilMs) - fromMs;
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
    const fire = (): void => {
      this.#timers.delete(timer);
      this.#host.deliver("timer", () => {
        if (!live) return;
        live = false;
        callback();
      });
    };
    const timer = { event: this.#timeline.after(Math.max(0, delayMs) / this.#rate + latenessMs, fire) };
    this.#timers.add(timer);
    return {
      cancel: () => {
        live = false;
        timer.event.cancelled = true;
        this.#timers.delete(timer);
      },
    };
  }
}

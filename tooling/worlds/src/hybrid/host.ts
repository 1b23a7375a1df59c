import type { Runtime, Timer } from "@dt/core";
import type { Random } from "../random.ts";
import type { Timeline } from "../sim/engine/timeline.ts";

/**
 * One process: a monotonic clock of its own, with any origin and a rate of its own, and a state. What happens to it
 * while it is paused happens when it goes on; what happens after its end never does.
 */
export class Host implements Runtime {
  readonly name: string;
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #originMs: number;
  readonly #rate: number;
  #state: "running" | "paused" | "gone" = "running";
  #backlog: (() => void)[] = [];

  constructor(name: string, timeline: Timeline, random: Random, drift: number) {
    this.name = name;
    this.#timeline = timeline;
    this.#random = random;
    this.#rate = 1 + random.between(-drift, drift);
    const start = random.chance(0.5) ? random.between(0, 1e5) : random.between(1e9, 3e12);
    this.#originMs = start - timeline.nowMs * this.#rate;
  }

  get isGone(): boolean {
    return this.#state === "gone";
  }

  get isPaused(): boolean {
    return this.#state === "paused";
  }

  now(): number {
    return this.#originMs + this.#timeline.nowMs * this.#rate;
  }

  random(): number {
    return this.#random.next();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    let live = true;
    const fire = (): void => {
      if (!live) return;
      live = false;
      callback();
    };
    const latenessMs = this.#random.between(0.05, 2);
    const event = this.#timeline.after(Math.max(0, delayMs) / this.#rate + latenessMs, () => this.deliver(fire));
    return {
      cancel: () => {
        live = false;
        event.cancelled = true;
      },
    };
  }

  /** Lets something happen in this process: now, when it goes on, or never. */
  deliver(run: () => void): void {
    if (this.#state === "gone") return;
    if (this.#state === "paused") this.#backlog.push(run);
    else run();
  }

  pause(forMs: number): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    this.#timeline.after(forMs, () => {
      if (this.#state !== "paused") return;
      this.#state = "running";
      const backlog = this.#backlog;
      this.#backlog = [];
      // Messages and timers that waited come in any order.
      backlog.sort(() => (this.#random.chance(0.5) ? 1 : -1));
      for (const run of backlog) this.deliver(run);
    });
  }

  crash(): void {
    this.#state = "gone";
    this.#backlog = [];
  }
}

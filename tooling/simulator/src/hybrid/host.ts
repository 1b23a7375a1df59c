import type { Runtime, Timer } from "@dt/core";
import type { Timeline } from "../fleet/engine/timeline.ts";
import { Machine } from "../fleet/world/machine.ts";
import { SimRuntime } from "../fleet/world/sim-runtime.ts";
import type { Random } from "../random.ts";

/** One process, which is its own runtime: a machine, with a monotonic clock of any origin and a rate of its own. */
export class Host extends Machine implements Runtime {
  readonly name: string;
  readonly #runtime: SimRuntime;

  constructor(name: string, timeline: Timeline, random: Random, drift: number) {
    super(timeline, random);
    this.name = name;
    this.#runtime = new SimRuntime(timeline, this, random, drift);
  }

  now(): number {
    return this.#runtime.now();
  }

  random(): number {
    return this.#runtime.random();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return this.#runtime.setTimer(callback, delayMs);
  }
}

import type { Runtime, Timer } from "@dt/core";
import type { Random } from "../random.ts";
import type { Timeline } from "../sim/engine/timeline.ts";
import { Machine } from "../sim/world/machine.ts";
import { SimRuntime } from "../sim/world/sim-runtime.ts";

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

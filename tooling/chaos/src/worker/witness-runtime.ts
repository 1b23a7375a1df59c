import { type Runtime, systemRuntime } from "@dt/core";
import { machineNow } from "./machine-now.ts";

/** Differs from process to process; what is added to it does not. */
const originMs = machineNow() - systemRuntime.now();

/** The real runtime, which remembers the last time it told: that is the time by which the throttle decided what it does now. */
export class WitnessRuntime implements Runtime {
  readonly setTimer = systemRuntime.setTimer;
  readonly random = systemRuntime.random;
  #lastMs = 0;

  readonly now = (): number => {
    this.#lastMs = systemRuntime.now();
    return this.#lastMs;
  };

  /** The last time told, on the machine's clock. */
  get lastMs(): number {
    return originMs + this.#lastMs;
  }
}

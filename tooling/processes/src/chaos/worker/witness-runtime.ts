import { type Runtime, systemRuntime } from "@dt/core";
import { machineNow } from "../../machine-now.ts";

/** Differs from process to process; what is added to it does not. */
const originMs = measureOrigin();

/**
 * The machine's clock less the runtime's, by the closest of many readings: a process that starts on a busy machine may
 * stand still between the two, and all that it wrote down would seem to have been sent that much earlier than it was.
 */
function measureOrigin(): number {
  let closest = { withinMs: Number.POSITIVE_INFINITY, originMs: 0 };
  for (let i = 0; i < 100; i++) {
    const beforeMs = systemRuntime.now();
    const machineMs = machineNow();
    const withinMs = systemRuntime.now() - beforeMs;
    if (withinMs < closest.withinMs) closest = { withinMs, originMs: machineMs - beforeMs - withinMs / 2 };
  }
  return closest.originMs;
}

/**
 * The real runtime, which remembers the last time it told: that is the time by which the throttle decided what it does
 * now.
 */
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

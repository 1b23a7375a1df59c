/** A timer that was set; `cancel` is idempotent and harmless after it fired. */
export interface Timer {
  /** Keeps the callback from being called. May be called again. */
  cancel(): void;
}

/**
 * Time, timers and chance: the only door through which `@dt` packages reach them. The real one is `systemRuntime`;
 * tests and the simulator pass a virtual one (`@dt/core/testing`), in which the same code runs unchanged.
 */
export interface Runtime {
  /** Milliseconds on a clock that never goes back and is not tied to wall time. Fractions count. */
  now(): number;
  /**
   * Calls back once, after at least `delayMs` milliseconds. Delays longer than the platform's timers can hold are
   * honoured. With `keepAlive: false` the timer alone does not keep the process running (default true).
   * @param callback the function that the timer calls
   * @param delayMs in milliseconds
   * @param options whether the timer keeps the process running
   */
  setTimer(callback: () => void, delayMs: number, options?: { readonly keepAlive?: boolean }): Timer;
  /** A number in [0, 1). */
  random(): number;
  /**
   * Milliseconds, from any origin and to a second at least, on a clock that also counts the time for which the machine
   * was suspended. Left out where `now` counts that time already, and where no clock counts it. It is read about once
   * an epoch, around each call to the store and before permits are used. `NaN` when it cannot be read.
   */
  bootTimeMs?(): number;
  /**
   * Milliseconds since 1970 by the wall clock. It is read only to compare a date from another program with now, where
   * that program does not report its own time. Without it such a date is not used. In a store without a clock it also
   * decides when a limit that was set for some time is over.
   */
  wallTimeMs?(): number;
}

/**
 * A random identifier of 20 base-36 characters (about 100 bits), from the runtime's randomness.
 * @param runtime time, timers and chance
 * @example const id = randomId(systemRuntime);
 */
export function randomId(runtime: Runtime): string {
  let id = "";
  for (let i = 0; i < 20; i++) id += Math.floor(runtime.random() * 36).toString(36);
  return id;
}

import { bootTimeOf, type Surroundings } from "./boot-time.ts";
import type { Runtime, Timer } from "./runtime.ts";

/** The longest delay `setTimeout` holds; anything above fires at once, so longer waits are re-armed. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Held here because the global is a getter: reading it every time adds 6 ns to a clock read of 34 ns. */
const clock = performance;

function setTimer(callback: () => void, delayMs: number, options?: { readonly keepAlive?: boolean }): Timer {
  const dueAt = clock.now() + delayMs;
  let handle: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const remaining = dueAt - clock.now();
    // Node rounds fractions down and so may fire up to a millisecond early: round up, and look at the clock again.
    handle = setTimeout(fire, Math.min(Math.max(0, Math.ceil(remaining)), LONGEST_TIMEOUT_MS));
    if (options?.keepAlive === false) handle.unref?.();
  };
  const fire = (): void => {
    if (clock.now() < dueAt) arm();
    else callback();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

const bootTimeMs = bootTimeOf((globalThis as { readonly process?: Surroundings }).process);

/** The real world: `performance.now`, `setTimeout`, `Math.random`, and on Linux `os.uptime`. */
export const systemRuntime: Runtime = {
  now: () => clock.now(),
  setTimer,
  random: Math.random,
  ...(bootTimeMs && { bootTimeMs }),
};

import { bootTimeOf, type Surroundings } from "./boot-time.ts";
import { PlatformTimes } from "./platform-time.ts";
import type { Runtime, Timer } from "./runtime.ts";

/** The longest delay `setTimeout` holds; anything above fires at once, so longer waits are re-armed. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const times = new PlatformTimes();

function setTimer(callback: () => void, delayMs: number, options?: { readonly keepAlive?: boolean }): Timer {
  const time = times.current;
  const dueAt = time.now() + delayMs;
  let handle: unknown;
  let over = false;
  const end = (): void => {
    over = true;
    times.pending -= 1;
  };
  const arm = (): void => {
    const remaining = dueAt - time.now();
    // Node rounds fractions down and so may fire up to a millisecond early: round up, and look at the clock again.
    handle = time.set(fire, Math.min(Math.max(0, Math.ceil(remaining)), LONGEST_TIMEOUT_MS));
    if (options?.keepAlive === false) (handle as { unref?(): void }).unref?.();
  };
  const fire = (): void => {
    // Fake timers may take `setTimeout` and leave `clearTimeout`.
    if (over) return;
    if (time.now() < dueAt) arm();
    else {
      end();
      callback();
    }
  };
  times.pending += 1;
  arm();
  return {
    cancel: () => {
      if (!over) end();
      time.clear(handle);
    },
  };
}

const bootTimeMs = bootTimeOf((globalThis as { readonly process?: Surroundings }).process);

/** The real world: `performance.now`, `setTimeout`, `Math.random`, `Date.now`, and on Linux `os.uptime`. */
export const systemRuntime: Runtime = {
  now: times.now,
  setTimer,
  random: Math.random,
  wallTimeMs: () => Date.now(),
  // The machine's clock goes on while a test's stands still: that is no suspension.
  ...(bootTimeMs && { bootTimeMs: () => (times.faked ? Number.NaN : bootTimeMs()) }),
};

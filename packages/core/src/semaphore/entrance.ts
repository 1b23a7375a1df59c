import { ACQUIRE_OPTIONS, type AcquireOptions, checkAcquireOptions } from "../limiter/acquire-options.ts";
import { admitBy, type CallOptions, type Entrance, SKIPPED } from "../limiter/calls.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Asking } from "./asking.ts";
import { checkSlotCount } from "./errors.ts";
import type { Lifecycle } from "./lifecycle.ts";

const OPTIONS: ReadonlySet<string> = new Set([...ACQUIRE_OPTIONS, "cost", "whenLimited"]);

/** How calls get into a semaphore: what `run` and `wrap` need of it. */
export function entranceOf(asking: Asking, life: Lifecycle): Entrance<Slot> {
  /** Waits for the start alone. */
  const now = async (cost: number, options: AcquireOptions): Promise<Slot | typeof SKIPPED> => {
    const settings = checkAcquireOptions(options);
    asking.check(cost);
    if (await asking.started(cost, settings)) return asking.nowOrRefused(cost, settings.priority) ?? SKIPPED;
    asking.refused(cost, settings.priority);
    return SKIPPED;
  };
  return {
    options: ACQUIRE_OPTIONS,
    whenLimited: ["wait", "throw", "skip"],
    check: (options) => {
      if (options["cost"] !== undefined) checkSlotCount(options["cost"]);
      checkAcquireOptions(options as AcquireOptions, OPTIONS);
    },
    begin: () => life.begin(),
    admit: (options: CallOptions, whenLimited) => {
      const { cost = 1, signal, timeout, priority } = options as AcquireOptions & { readonly cost?: number };
      const wait = { signal, timeout, priority };
      return admitBy<Slot>(whenLimited, timeout, {
        wait: () => asking.acquire(cost, wait),
        now: () => now(cost, wait),
        limited: () => asking.limited(cost),
      });
    },
    make: async (slot, call) => {
      try {
        return await call(slot);
      } finally {
        slot.release();
      }
    },
  };
}

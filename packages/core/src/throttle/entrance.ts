import { ACQUIRE_OPTIONS, type AcquireOptions, checkAcquireOptions } from "../limiter/acquire-options.ts";
import { admitBy, type CallOptions, type Entrance, SKIPPED } from "../limiter/calls.ts";
import type { Asking } from "./asking.ts";
import { checkTokens } from "./check-tokens.ts";
import type { Lifecycle } from "./lifecycle.ts";

const OPTIONS: ReadonlySet<string> = new Set([...ACQUIRE_OPTIONS, "cost", "whenLimited"]);

/** How calls get into a throttle: what `run` and `wrap` need of it. */
export function entranceOf(asking: Asking, life: Lifecycle): Entrance<void> {
  /** Waits for the start alone. */
  const now = async (cost: number, options: AcquireOptions): Promise<undefined | typeof SKIPPED> => {
    const settings = checkAcquireOptions(options);
    checkTokens(cost, asking.max);
    const isStarted = await asking.started(cost, settings);
    if (isStarted && asking.all(cost)) return undefined;
    asking.missed(cost, settings.priority, isStarted);
    return SKIPPED;
  };
  return {
    options: ACQUIRE_OPTIONS,
    whenLimited: ["wait", "throw", "skip"],
    check: (options) => {
      if (options["cost"] !== undefined) checkTokens(options["cost"]);
      checkAcquireOptions(options as AcquireOptions, OPTIONS);
    },
    begin: () => life.begin(),
    admit: (options: CallOptions, whenLimited) => {
      const { cost = 1, signal, timeout, priority } = options as AcquireOptions & { readonly cost?: number };
      const wait = { signal, timeout, priority };
      return admitBy<void>(whenLimited, timeout, {
        wait: () => asking.acquire(cost, wait, ALL),
        now: () => now(cost, wait),
        limited: () => asking.limited(cost),
      });
    },
  };
}

/** All tokens are wanted, and nothing is made of them. */
export const ALL = { upTo: false, answer: () => undefined } as const;

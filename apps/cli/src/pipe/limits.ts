import { createAdaptiveThrottle, createConcurrencyLimit, createGuard, type Guard } from "@dt/adaptive";
import { type CoordinationStore, createSemaphore, createThrottle, MemoryStore, type Throttle } from "@dt/core";
import type { ParsedRate } from "@dt/core/internal";
import { openStore } from "../stores/open-store.ts";
import type { StoreAddress } from "../stores/store-address.ts";

/** What holds calls back. */
export interface LimitSettings {
  readonly rate: ParsedRate | undefined;
  /** Calls of all processes at the same time, at most. */
  readonly fleetConcurrency: number | undefined;
  /** Processes with the same store and name share both. Undefined: this process has the rate alone. */
  readonly store: StoreAddress | undefined;
  readonly name: string;
  /** Calls at the same time, at most; `adaptive` finds out. */
  readonly concurrency: number | "adaptive";
  /** Whether calls are left out that the callee would probably refuse. */
  readonly rejects: boolean;
}

/** They are started, and to be closed. */
export interface Limits {
  readonly guard: Guard;
  close(): Promise<void>;
}

/**
 * Of what is tried in bad times every second call may be in vain (`k: 2`, as in the Beam design): a service that is
 * well again is found sooner, and the rest of the file is waiting.
 */
const REJECTION = { k: 2 } as const;

/** @throws DtError as the store documents */
export async function openLimits(settings: LimitSettings): Promise<Limits> {
  const { rate, fleetConcurrency, store, name, concurrency, rejects } = settings;
  const parts = {
    name,
    ...(concurrency === "adaptive" ? { limit: createConcurrencyLimit({ name }) } : {}),
    ...(rejects ? { rejection: createAdaptiveThrottle({ name, ...REJECTION }) } : {}),
  };
  if (rate === undefined && fleetConcurrency === undefined)
    return { guard: createGuard(parts), close: async () => undefined };
  const shared = store === undefined ? new MemoryStore() : await openStore(store);
  const throttle = rate && throttleOf(rate, name, shared);
  const semaphore = fleetConcurrency && createSemaphore({ name, max: fleetConcurrency, store: shared });
  const started = [throttle, semaphore].filter((limiter) => typeof limiter === "object");
  const close = async (): Promise<void> => {
    await Promise.all(started.map((limiter) => limiter.stop()));
    await shared.close();
  };
  try {
    await Promise.all(started.map((limiter) => limiter.start()));
    return { guard: createGuard({ ...parts, ...(throttle && { throttle }), ...(semaphore && { semaphore }) }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function throttleOf(rate: ParsedRate, name: string, store: CoordinationStore): Throttle {
  const { max, intervalMs } = poolOf(rate);
  // Spaced: a callee may count in a window that slides.
  return createThrottle({ name, max, interval: intervalMs, store, release: "even" });
}

/** A limit as a throttle takes it. */
interface Pool {
  readonly max: number;
  readonly intervalMs: number;
}

const SHORTEST_EPOCH_MS = 1_000;

/**
 * The same rate in the shortest epochs, of a second or more, that it can be told in exactly: 600 a minute are 10 a
 * second. Whoever keeps that keeps the other, and the first call need not wait for the next minute.
 */
export function poolOf({ count, intervalMs }: ParsedRate): Pool {
  const most = Math.floor(intervalMs / SHORTEST_EPOCH_MS);
  for (let epochs = Math.min(most, count); epochs > 1; epochs--)
    if (count % epochs === 0 && intervalMs % epochs === 0)
      return { max: count / epochs, intervalMs: intervalMs / epochs };
  return { max: count, intervalMs };
}

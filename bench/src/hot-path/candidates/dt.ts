import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "@dt/core";
import { type AwaitedCandidate, PLENTY, type SynchronousCandidate } from "../candidate.ts";

/** How a throttle releases its tokens, and shares them if not by default. */
interface Variant {
  readonly name: string;
  readonly release: "epoch" | "even";
  readonly shares?: "even";
}

/** By default shares follow demand, except where tokens are spaced. */
const VARIANTS: readonly Variant[] = [
  { name: "epoch", release: "epoch" },
  { name: "epoch and even shares", release: "epoch", shares: "even" },
  { name: "even", release: "even" },
];

/** A throttle alone in its group, past its first epoch, with its background syncs running. */
async function runningThrottle({ name: _, ...options }: Variant): Promise<Throttle> {
  const { createThrottle, MemoryStore } = await import("@dt/core");
  const throttle = createThrottle({ name: "bench", max: PLENTY, store: new MemoryStore(), ...options });
  await throttle.start();
  while (throttle.status().share < PLENTY) await sleep(10);
  return throttle;
}

const configuration = ({ release, shares }: Variant): string =>
  `MemoryStore, max 1e9 in 1 s, release "${release}", ${shares ? `shares "${shares}"` : "shares by default"}; epochs and syncs go on during the measurement`;

function tryAcquire(variant: Variant): SynchronousCandidate {
  return {
    name: `@dt/core tryAcquire, ${variant.name}`,
    package: "@dt/core",
    keepsTime: true,
    configuration: configuration(variant),
    prepare: async () => {
      const throttle = await runningThrottle(variant);
      return { operation: () => throttle.tryAcquire(), close: () => throttle.stop() };
    },
  };
}

function acquire(variant: Variant): AwaitedCandidate {
  return {
    name: `@dt/core acquire, ${variant.name}`,
    package: "@dt/core",
    keepsTime: true,
    configuration: configuration(variant),
    prepare: async () => {
      const throttle = await runningThrottle(variant);
      return { operation: () => throttle.acquire(), close: () => throttle.stop() };
    },
  };
}

/** A slot for each call: there are two looks at the clock in it, and an object. */
export const dtSlot: SynchronousCandidate = {
  name: "@dt/core semaphore, tryAcquire + release",
  package: "@dt/core",
  keepsTime: true,
  configuration: "MemoryStore, max 1,000; a slot for each call; syncs go on during the measurement",
  prepare: async () => {
    const { createSemaphore, MemoryStore } = await import("@dt/core");
    const slots = createSemaphore({ name: "bench", max: 1_000, store: new MemoryStore() });
    await slots.start();
    const operation = (): boolean => {
      const slot = slots.tryAcquire();
      slot?.release();
      return slot !== undefined;
    };
    return { operation, close: () => slots.stop() };
  },
};

export const dtSynchronous: readonly SynchronousCandidate[] = VARIANTS.map(tryAcquire);
export const dtAwaited: readonly AwaitedCandidate[] = VARIANTS.map(acquire);

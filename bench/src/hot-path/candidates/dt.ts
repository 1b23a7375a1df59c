import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "@dt/core";
import { type AwaitedCandidate, PLENTY, type SynchronousCandidate } from "../candidate.ts";

type Release = "epoch" | "even";

/** A throttle alone in its group, past its first epoch: in agreement, with its background syncs running. */
async function runningThrottle(release: Release): Promise<Throttle> {
  const { createThrottle, MemoryStore } = await import("@dt/core");
  const throttle = createThrottle({ name: "bench", max: PLENTY, store: new MemoryStore(), release });
  await throttle.start();
  while (throttle.status().share < PLENTY) await sleep(10);
  return throttle;
}

const configuration = (release: Release): string =>
  `MemoryStore, max 1e9 in 1 s, release "${release}"; epochs and syncs go on during the measurement`;

function tryAcquire(release: Release): SynchronousCandidate {
  return {
    name: `@dt/core tryAcquire, ${release}`,
    package: "@dt/core",
    keepsTime: true,
    configuration: configuration(release),
    prepare: async () => {
      const throttle = await runningThrottle(release);
      return { operation: () => throttle.tryAcquire(), close: () => throttle.stop() };
    },
  };
}

function acquire(release: Release): AwaitedCandidate {
  return {
    name: `@dt/core acquire, ${release}`,
    package: "@dt/core",
    keepsTime: true,
    configuration: configuration(release),
    prepare: async () => {
      const throttle = await runningThrottle(release);
      return { operation: () => throttle.acquire(), close: () => throttle.stop() };
    },
  };
}

export const dtSynchronous: readonly SynchronousCandidate[] = [tryAcquire("epoch"), tryAcquire("even")];
export const dtAwaited: readonly AwaitedCandidate[] = [acquire("epoch"), acquire("even")];

import { type AwaitedCandidate, PLENTY, type SynchronousCandidate } from "../candidate.ts";

const configuration =
  'layerStoreMemory, algorithm "fixed-window", limit 1e9, window 1 s, one key; the effect built once';

async function consuming() {
  const { Effect } = await import("effect");
  const { RateLimiter } = await import("effect/persistence");
  const make = Effect.provide(RateLimiter.make, RateLimiter.layerStoreMemory);
  const limiter = await Effect.runPromise(make);
  return { Effect, consume: limiter.consume({ key: "key", limit: PLENTY, window: "1 second" }) };
}

export const effectSynchronous: SynchronousCandidate = {
  name: "effect RateLimiter.consume, runSync",
  package: "effect",
  keepsTime: true,
  configuration,
  iterations: 10_000,
  prepare: async () => {
    const { Effect, consume } = await consuming();
    return { operation: () => (Effect.runSync(consume).remaining >= 0 ? 1 : 0) };
  },
};

export const effectAwaited: AwaitedCandidate = {
  name: "effect RateLimiter.consume, runPromise",
  package: "effect",
  keepsTime: true,
  configuration,
  iterations: 10_000,
  prepare: async () => {
    const { Effect, consume } = await consuming();
    return { operation: () => Effect.runPromise(consume) };
  },
};

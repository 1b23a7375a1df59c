import type { AwaitedCandidate, SynchronousCandidate } from "./candidate.ts";
import { semaAcquire, semaRateLimit, semaTryAcquire } from "./candidates/async-sema.ts";
import { bottleneck } from "./candidates/bottleneck.ts";
import { dtAwaited, dtSlot, dtSynchronous } from "./candidates/dt.ts";
import { effectAwaited, effectSynchronous } from "./candidates/effect.ts";
import { localStore } from "./candidates/fastify-rate-limit.ts";
import {
  clockRead,
  emptyAwait,
  heldClockRead,
  settledAwait,
  settledAwaitOnTime,
  wallClockRead,
} from "./candidates/floors.ts";
import { rateLimiterAwaited, rateLimiterSynchronous, tokenBucketSynchronous } from "./candidates/limiter.ts";
import { pThrottle } from "./candidates/p-throttle.ts";
import { rateLimiterMemory } from "./candidates/rate-limiter-flexible.ts";

/** Candidates that grant at once; the first is what the others are compared with. */
export const synchronousCandidates: readonly SynchronousCandidate[] = [
  clockRead,
  heldClockRead,
  wallClockRead,
  ...dtSynchronous,
  dtSlot,
  semaTryAcquire,
  localStore,
  tokenBucketSynchronous,
  rateLimiterSynchronous,
  effectSynchronous,
];

/** Candidates that are awaited; the first is what the others are compared with. */
export const awaitedCandidates: readonly AwaitedCandidate[] = [
  emptyAwait,
  settledAwait,
  settledAwaitOnTime,
  ...dtAwaited,
  semaAcquire,
  semaRateLimit,
  pThrottle,
  rateLimiterMemory,
  rateLimiterAwaited,
  effectAwaited,
  bottleneck,
];

import { openBottleneck } from "./bottleneck.ts";
import type { FleetBudget } from "./fleet-budget.ts";
import type { Quota, WorkerSettings } from "./plan.ts";
import { openRateLimiterFlexible, perSecond } from "./rate-limiter-flexible.ts";
import { bucketOf, distanceMs } from "./token-bucket.ts";

/** A way to keep a fleet within two limits at once, where the true cost of a call is known when it has ended. */
export interface Approach {
  readonly name: string;
  /** The package it is of; none for our own. */
  readonly package?: string;
  /** How it is set. */
  settings(quota: Quota): string;
  open(settings: WorkerSettings): Promise<FleetBudget>;
}

const rateOf = (count: number, { windowMs }: Quota) => `${count}/${windowMs / 1_000}s` as const;

/** Ours first. */
export const approaches: readonly Approach[] = [
  {
    name: "createBudget",
    settings: (quota) =>
      `limits requests ${rateOf(quota.requests, quota)} and tokens ${rateOf(quota.tokens, quota)}, its defaults otherwise`,
    open: async ({ quota, redisUrl }) => {
      const [{ createBudget }, { redisStore }] = await Promise.all([import("@dt/budget"), import("@dt/redis")]);
      const budget = createBudget({
        name: "fleet",
        limits: {
          requests: { rate: rateOf(quota.requests, quota) },
          tokens: { rate: rateOf(quota.tokens, quota) },
        },
        store: redisStore({ url: redisUrl }),
      });
      return {
        run: async (tokens, call) => {
          const lease = await budget.acquire({ tokens });
          lease.settle({ tokens: await call() });
        },
      };
    },
  },
  {
    name: "rate-limiter-flexible",
    package: "rate-limiter-flexible",
    settings: (quota) =>
      `RateLimiterRedis for requests (${perSecond(quota.requests, quota)} points) and for tokens (${perSecond(quota.tokens, quota)}), duration 1 s, so that any window is within the quota. A process asks for one call at a time, and again after msBeforeNext. Reward and penalty for the true cost`,
    open: openRateLimiterFlexible,
  },
  {
    name: "bottleneck",
    package: "bottleneck",
    settings: (quota) => {
      const { amount, maximum } = bucketOf(quota);
      return `clustering with ioredis: minTime ${distanceMs(quota)} ms for requests; tokens are weights against a reservoir, increased by ${amount} every 250 ms up to ${maximum}; incrementReservoir for the true cost`;
    },
    open: openBottleneck,
  },
];

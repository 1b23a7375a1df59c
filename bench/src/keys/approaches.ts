import type { KeysPlan, WorkerSettings } from "./plan.ts";

/** A limit for each tenant, as one process of the fleet uses it. */
export interface TenantLimits {
  /** Takes one unit where that is allowed now. */
  check(tenant: string): Promise<boolean>;
}

/** A way to limit each of many tenants over a fleet. */
export interface Approach {
  readonly name: string;
  /** The package it is of; none for our own. */
  readonly package?: string;
  /** How it is set. */
  settings(plan: KeysPlan): string;
  open(settings: WorkerSettings): Promise<TenantLimits>;
}

/** Ours first. */
export const approaches: readonly Approach[] = [
  {
    name: "createKeyed",
    settings: ({ perSecond }) => `limit { rate: "${perSecond}/s" }, its defaults otherwise`,
    open: async ({ redisUrl, plan: { perSecond } }) => {
      const [{ createKeyed }, { redisStore }] = await Promise.all([import("@dt/keyed"), import("@dt/redis")]);
      const limits = createKeyed({ name: "api", limit: { rate: perSecond }, store: redisStore({ url: redisUrl }) });
      return { check: async (tenant) => (await limits.check(tenant)).allowed };
    },
  },
  {
    name: "rate-limiter-flexible",
    package: "rate-limiter-flexible",
    settings: ({ perSecond }) => `RateLimiterRedis with ${perSecond} points and a duration of 1 s`,
    open: async ({ redisUrl, plan: { perSecond } }) => {
      const [{ RateLimiterRedis, RateLimiterRes }, { Redis }] = await Promise.all([
        import("rate-limiter-flexible"),
        import("ioredis"),
      ]);
      const storeClient = new Redis(redisUrl);
      const limiter = new RateLimiterRedis({ storeClient, keyPrefix: "api", points: perSecond, duration: 1 });
      return {
        check: async (tenant) => {
          try {
            await limiter.consume(tenant);
            return true;
          } catch (refused) {
            if (refused instanceof RateLimiterRes) return false;
            throw refused;
          }
        },
      };
    },
  },
];

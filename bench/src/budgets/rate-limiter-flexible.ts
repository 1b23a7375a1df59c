import { setTimeout as sleep } from "node:timers/promises";
import type { FleetBudget } from "./fleet-budget.ts";
import type { Quota, WorkerSettings } from "./plan.ts";

const KEY = "fleet";

/** What a fixed second may have, so that any window of the callee has no more than is allowed. */
export function perSecond(count: number, { windowMs }: Quota): number {
  return Math.floor(count / (windowMs / 1_000 + 1));
}

/** Two limiters, as `RateLimiterUnion` has them, but with a cost of its own for each. */
export async function openRateLimiterFlexible({ quota, redisUrl }: WorkerSettings): Promise<FleetBudget> {
  const [{ RateLimiterRedis, RateLimiterRes }, { Redis }] = await Promise.all([
    import("rate-limiter-flexible"),
    import("ioredis"),
  ]);
  const storeClient = new Redis(redisUrl);
  const of = (keyPrefix: string, count: number) =>
    new RateLimiterRedis({ storeClient, keyPrefix, points: perSecond(count, quota), duration: 1 });
  const [requests, tokens] = [of("requests", quota.requests), of("tokens", quota.tokens)];
  type Limiter = typeof requests;

  /** 0 when it was consumed; otherwise after how long to ask again, in milliseconds. */
  const consume = async (limiter: Limiter, points: number): Promise<number> => {
    try {
      await limiter.consume(KEY, points);
      return 0;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return Math.max(1, refused.msBeforeNext);
    }
  };
  const take = async (cost: number): Promise<void> => {
    for (;;) {
      let waitMs = await consume(requests, 1);
      if (waitMs === 0) {
        waitMs = await consume(tokens, cost);
        if (waitMs === 0) return;
        await requests.reward(KEY, 1);
      }
      await sleep(waitMs);
    }
  };
  let line: Promise<void> = Promise.resolve();
  return {
    run: async (estimate, call) => {
      line = line.then(() => take(estimate));
      await line;
      const more = (await call()) - estimate;
      if (more > 0) await tokens.penalty(KEY, more);
      if (more < 0) await tokens.reward(KEY, -more);
    },
  };
}

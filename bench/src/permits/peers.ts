import { packageVersion } from "../package-version.ts";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import type { PermitCandidate, StartedCandidate } from "./permit-candidate.ts";

/** The peer that does the same arithmetic. */
export const GCRA_PEER = "redis-gcra";

/** So many a second that nothing is refused. */
const PLENTY = 1_000_000_000;

interface Limiter {
  readonly take: (key: string) => Promise<void>;
  close?(): unknown;
}

/**
 * Limiters of others that keep their state in Redis: a permit is taken or refused; none is reserved ahead, and none
 * comes in blocks.
 */
export const peers: readonly PermitCandidate[] = [
  onRedis(GCRA_PEER, "GCRA in one script, on the caller's wall clock: 10,000 a second, burst 1e6", async (url) => {
    const [{ default: create }, { Redis }] = await Promise.all([import("redis-gcra"), import("ioredis")]);
    const redis = new Redis(url);
    const limiter = create({ redis, burst: 1_000_000, rate: 10_000, period: 1_000 });
    const take = async (key: string): Promise<void> => {
      if ((await limiter.limit({ key })).limited) throw new Error("redis-gcra refused a permit");
    };
    return { take, close: () => redis.disconnect() };
  }),
  onRedis(
    "rate-limiter-flexible",
    "RateLimiterRedis, a counter for each second: points 1e9, duration 1 s",
    async (url) => {
      const [{ RateLimiterRedis }, { Redis }] = await Promise.all([import("rate-limiter-flexible"), import("ioredis")]);
      const redis = new Redis(url);
      const limiter = new RateLimiterRedis({ storeClient: redis, points: PLENTY, duration: 1 });
      const take = async (key: string): Promise<void> => {
        await limiter.consume(key);
      };
      return { take, close: () => redis.disconnect() };
    },
  ),
];

function onRedis(name: string, what: string, open: (url: string) => Promise<Limiter>): PermitCandidate {
  return {
    name,
    permitsPerRound: 1_000,
    start: async (): Promise<StartedCandidate> => {
      const { server, admin, version } = await startOwnRedis();
      const { take, close } = await open(server.url);
      return {
        configuration: `${name} ${packageVersion(name)}: ${what}. Redis ${version} on loopback, one connection`,
        hasBlocks: false,
        take,
        requests: async () => {
          const stats = await commandStats(admin);
          return (stats.get("evalsha")?.calls ?? 0) + (stats.get("eval")?.calls ?? 0);
        },
        stop: async () => {
          await close?.();
          admin.disconnect();
          await server.stop();
        },
      };
    },
  };
}

import type { BenchStore } from "./bench-store.ts";
import { delayedStore } from "./delayed-store.ts";
import { commandStats, startOwnRedis } from "./own-redis.ts";

/** So long that a busy machine fails no call: what is measured is how long calls take. */
const timeout = "5m";

export const redis: BenchStore = {
  name: "redis",
  callsPerRound: 1_000,
  start: async () => {
    const { redisStore } = await import("@dt/redis");
    const { server, admin, version } = await startOwnRedis();
    const store = redisStore({ url: server.url, timeout });
    const scripts = async (): Promise<{ calls: number; us: number }> => {
      const stats = await commandStats(admin);
      const both = [stats.get("evalsha"), stats.get("eval")];
      return {
        calls: both.reduce((sum, stat) => sum + (stat?.calls ?? 0), 0),
        us: both.reduce((sum, stat) => sum + (stat?.us ?? 0), 0),
      };
    };
    return {
      store,
      configuration: `Redis ${version} on loopback, appendonly without fsync; one connection, one sync at a time`,
      serverUs: async () => (await scripts()).us,
      counters: async () => {
        const { calls, us } = await scripts();
        return { requests: calls, "µs in scripts": us };
      },
      connectDelayed: () =>
        delayedStore([server], ([port]) => redisStore({ url: `redis://127.0.0.1:${port}`, timeout })),
      stop: async () => {
        await store.close();
        admin.disconnect();
        await server.stop();
      },
    };
  },
};

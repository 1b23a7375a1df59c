import type { BenchStore } from "./bench-store.ts";
import { commandStats, startOwnRedis } from "./own-redis.ts";

export const redis: BenchStore = {
  name: "redis",
  callsPerRound: 1_000,
  start: async () => {
    const { redisStore } = await import("@dt/redis");
    const { server, admin, version } = await startOwnRedis();
    const store = redisStore({ url: server.url });
    return {
      store,
      configuration: `Redis ${version} on loopback, appendonly without fsync; one connection, one sync at a time`,
      serverUs: async () => {
        const stats = await commandStats(admin);
        return (stats.get("evalsha")?.us ?? 0) + (stats.get("eval")?.us ?? 0);
      },
      stop: async () => {
        await store.close();
        admin.disconnect();
        await server.stop();
      },
    };
  },
};

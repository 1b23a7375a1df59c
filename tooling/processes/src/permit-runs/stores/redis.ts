import { startRedis } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { type RunStore, timeout } from "./run-store.ts";

export const redis: RunStore = {
  name: "redis",
  async start() {
    const server = await startRedis({ control: true });
    const admin = new Redis(server.url);
    const version = /redis_version:(\S+)/.exec(await admin.info("server"))?.[1] ?? "of unknown version";
    admin.disconnect();
    return {
      module: "@dt/redis",
      factory: "redisStore",
      options: { url: server.url, timeout },
      configuration: `Redis ${version} on loopback`,
      stop: () => server.stop(),
    };
  },
};

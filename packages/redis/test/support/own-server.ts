import { type RedisOptions, type RedisServer, startRedis } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";
import { type RedisStore, redisStore } from "../../src/index.ts";

/** What {@link useServer} started for this file. */
export let server: RedisServer;
/** A client of it. */
export let redis: Redis;
/** A store on it, which waits for long. */
export let store: RedisStore;

/** One server for all tests of a file. */
export function useServer(options?: RedisOptions): void {
  beforeAll(async () => {
    server = await startRedis(options);
    redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
    store = redisStore({ url: server.url, timeout: "50s" });
  });
  afterAll(async () => {
    await store?.close();
    redis?.disconnect();
    await server?.stop();
  });
}

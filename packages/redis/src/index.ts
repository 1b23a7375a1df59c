export type { RedisClient } from "./client/redis-client.ts";
export type { RedisStoreOptions } from "./options.ts";
export { RedisStore, redisStore } from "./redis-store.ts";

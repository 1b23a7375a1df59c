export { type RedisOptions, type RedisServer, startRedis } from "./redis.ts";
export type { Origin, RestartOptions, RunningServer } from "./running-server.ts";
export { until } from "./until.ts";

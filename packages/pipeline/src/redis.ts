export { type RedisStreamOptions, redisStream } from "./sinks/redis-stream.ts";

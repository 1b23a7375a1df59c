export { type DynamoDbOptions, type DynamoDbServer, startDynamoDb } from "./dynamodb.ts";
export { type EtcdOptions, type EtcdServer, startEtcd } from "./etcd.ts";
export { type PgBouncerOptions, type PgBouncerServer, startPgBouncer } from "./pgbouncer.ts";
export { type PostgresOptions, type PostgresServer, startPostgres } from "./postgres.ts";
export { type RedisOptions, type RedisServer, startRedis } from "./redis.ts";
export { type RedisCluster, type RedisClusterOptions, startRedisCluster } from "./redis-cluster.ts";
export { type RedisSentinel, type RedisSentinelOptions, startRedisSentinel } from "./redis-sentinel.ts";
export type { Origin, RestartOptions, RunningServer } from "./running-server.ts";
export { until } from "./until.ts";

import { dynamodbTarget } from "./dynamodb.ts";
import { etcdTarget } from "./etcd.ts";
import { postgresTarget } from "./postgres.ts";
import { redisTarget } from "./redis.ts";
import { redisClusterTarget } from "./redis-cluster.ts";
import { redisSentinelTarget } from "./redis-sentinel.ts";
import { sqliteTarget } from "./sqlite.ts";
import type { Target } from "./target.ts";

/** How to start each store that can be put under stress, by the name that `--store` takes. */
export const targets = {
  redis: redisTarget,
  "redis-cluster": redisClusterTarget,
  "redis-sentinel": redisSentinelTarget,
  postgres: postgresTarget,
  etcd: () => etcdTarget(1),
  etcd3: () => etcdTarget(3),
  sqlite: sqliteTarget,
  dynamodb: dynamodbTarget,
} as const satisfies Readonly<Record<string, (group: string) => Promise<Target>>>;

export type StoreName = keyof typeof targets;

export const STORES = Object.keys(targets) as StoreName[];

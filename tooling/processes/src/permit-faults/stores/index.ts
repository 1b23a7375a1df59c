import { dynamodb } from "./dynamodb.ts";
import { etcd } from "./etcd.ts";
import type { FaultStore } from "./fault-store.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";

/** Part of `npm test`. */
export const quickStores: readonly FaultStore[] = [sqlite, redis, postgres];

export const stores: readonly FaultStore[] = [...quickStores, etcd, dynamodb];

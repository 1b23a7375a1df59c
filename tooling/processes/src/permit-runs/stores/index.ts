import { dynamodb } from "./dynamodb.ts";
import { etcd } from "./etcd.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import type { RunStore } from "./run-store.ts";
import { sqlite } from "./sqlite.ts";

/** Every store that can be run against; another one takes a file like these and its name here. */
export const stores: readonly RunStore[] = [sqlite, redis, postgres, etcd, dynamodb];

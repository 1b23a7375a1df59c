import { dynamodb } from "./dynamodb.ts";
import { etcd } from "./etcd.ts";
import type { PermitStore } from "./permit-store.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";

/** Those that run under faults in `npm test`. */
export const quickStores: readonly PermitStore[] = [sqlite, redis, postgres];

/** Every store that can be run against; another one takes a file like these and its name here. */
export const stores: readonly PermitStore[] = [...quickStores, etcd, dynamodb];

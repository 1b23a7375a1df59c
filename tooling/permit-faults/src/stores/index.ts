import type { FaultStore } from "./fault-store.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";

export const stores: readonly FaultStore[] = [sqlite, redis, postgres];

import type { StoreTarget } from "@dt/conformance";
import { lmdbTarget } from "../../../../examples/custom-store/test/support/targets.ts";
import { memoryTarget } from "../../../../packages/conformance/test/support/targets.ts";
import {
  DYNAMODB_CONCURRENCY,
  dynaliteTarget,
  otherDynamodbTargets,
} from "../../../../packages/dynamodb/test/support/targets.ts";
import { ETCD_CONCURRENCY, etcdTarget } from "../../../../packages/etcd/test/support/targets.ts";
import { podCountTarget } from "../../../../packages/pod-count/test/support/targets.ts";
import { pgBouncerTarget, postgresTarget } from "../../../../packages/postgres/test/support/targets.ts";
import {
  redisClusterTarget,
  redisTarget,
  restrictedRedisTarget,
} from "../../../../packages/redis/test/support/targets.ts";
import { sqliteTarget } from "../../../../packages/sqlite/test/support/targets.ts";

/** A target, with servers of its own where it needs some. */
export interface Entry {
  readonly target: StoreTarget & { start?(): Promise<void>; stop?(): Promise<void> };
  /** Cases at a time; default: the suite's own. */
  readonly concurrency?: number;
}

/** Every store of this repository, as its own tests run it. A new one is a line. */
export const entries: readonly Entry[] = [
  { target: memoryTarget },
  { target: sqliteTarget() },
  { target: redisTarget(2) },
  { target: redisTarget(3) },
  { target: redisClusterTarget() },
  { target: restrictedRedisTarget() },
  { target: postgresTarget() },
  { target: pgBouncerTarget() },
  { target: etcdTarget(1, 1_200), concurrency: ETCD_CONCURRENCY },
  { target: etcdTarget(3, 200), concurrency: ETCD_CONCURRENCY },
  { target: dynaliteTarget(), concurrency: DYNAMODB_CONCURRENCY },
  ...(await otherDynamodbTargets()).map((target) => ({ target, concurrency: DYNAMODB_CONCURRENCY })),
  { target: podCountTarget },
  { target: lmdbTarget() },
];

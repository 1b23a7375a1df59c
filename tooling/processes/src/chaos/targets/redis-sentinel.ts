import { startRedisSentinel } from "@dt-tooling/backends";
import type { Fault } from "../faults/fault.ts";
import { natMap, type Target } from "./target.ts";

/** Longer than the silence after which the Sentinels promote the replica (1 s), so that they do. */
const OUTAGE = { on: "server", shortestMs: 2_500, longestMs: 6_000 } as const;

/**
 * A master, its replica and three Sentinels. Replication is not waited for: a failover may lose the newest writes, and
 * the old master, back from a pause, may take some for a moment. Both are outside the promise.
 */
export async function redisSentinelTarget(): Promise<Target> {
  const redis = await startRedisSentinel({ sentinels: 3, replicas: 1 });
  const everybody = [...redis.servers, ...redis.sentinels];
  const faults: Fault[] = [
    {
      ...{ kind: "master-kill", ...OUTAGE, essential: true },
      inject: async () => {
        const master = await redis.master();
        await master.kill();
        return () => master.restart({ keepData: true });
      },
    },
    {
      ...{ kind: "master-pause", ...OUTAGE },
      inject: async () => {
        const master = await redis.master();
        await master.pause();
        return () => master.resume();
      },
    },
    {
      ...{ kind: "failover", on: "server", shortestMs: 500, longestMs: 2_000 },
      // With a master that lives, and goes on for a while. The Sentinels give up when the replica has not caught up
      // yet.
      inject: async () => {
        const promoted = await redis.failover().catch(() => undefined);
        return promoted && (async () => {});
      },
    },
  ];
  return {
    servers: everybody,
    address: (at) => ({
      kind: "redis-sentinel",
      sentinels: redis.sentinels.map(at),
      name: redis.masterName,
      natMap: natMap(everybody, at),
    }),
    faults,
    losesWrites: true,
    wallClockIsStores: false,
    stop: () => redis.stop(),
  };
}

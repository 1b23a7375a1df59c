import { type RedisServer, startRedisCluster } from "@dt-tooling/backends";
import type { Fault } from "../faults/fault.ts";
import { serverKill, serverPause } from "../faults/server-faults.ts";
import { natMap, type Target } from "./target.ts";

/** Three masters; the faults are for the one that has the group, which moves to another one now and then. */
export async function redisClusterTarget(group: string): Promise<Target> {
  const cluster = await startRedisCluster({ masters: 3 });
  const slot = await cluster.slotOf(`dt:{${group}}:rows`);
  const owner = (): Promise<RedisServer> => cluster.ownerOf(slot);
  const move: Fault = {
    ...{ kind: "slot-move", on: "server", shortestMs: 0, longestMs: 0 },
    inject: async ({ choice }) => {
      const from = await owner();
      const others = cluster.nodes.filter((node) => node !== from);
      await cluster.moveSlot(slot, from, others[Math.floor(choice * others.length)] as RedisServer);
      return async () => {};
    },
  };
  return {
    servers: cluster.nodes,
    address: (at) => ({
      kind: "redis-cluster",
      nodes: cluster.nodes.map(at),
      natMap: natMap(cluster.nodes, at),
    }),
    faults: [serverPause(owner), serverKill(owner), move],
    losesWrites: false,
    wallClockIsStores: false,
    stop: () => cluster.stop(),
  };
}

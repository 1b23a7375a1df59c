import { type RunningServer, startEtcd } from "@dt-tooling/backends";
import { oneOf, serverKill, serverPause } from "../faults/server-faults.ts";
import { type Target, urlAt } from "./target.ts";

/** An etcd of one node, or of three: then the leader is killed and paused, and the others now and then. */
export async function etcdTarget(nodes: 1 | 3): Promise<Target> {
  const etcd = await startEtcd({ control: true, nodes });
  const leader = (): Promise<RunningServer> => etcd.leader();
  return {
    servers: etcd.nodes,
    address: (at) => ({ kind: "etcd", endpoints: etcd.endpoints.map((url) => urlAt(url, at).replace(/\/$/, "")) }),
    faults:
      nodes === 1
        ? [serverPause(leader), serverKill(leader)]
        : [
            serverPause(leader, "leader-pause"),
            serverKill(leader, "leader-kill"),
            serverPause((plan) => oneOf(etcd.nodes, plan), "node-pause"),
          ],
    losesWrites: false,
    wallClockIsStores: false,
    stop: () => etcd.stop(),
  };
}

import type { StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { etcdCapabilities, etcdStore } from "../../src/index.ts";
import { etcdDamage } from "./damage.ts";
import { countRequests } from "./metrics.ts";

/** A target with servers of its own: start it before the suite runs, stop it afterwards. */
type ServedTarget = StoreTarget & { start(): Promise<void>; stop(): Promise<void> };

/** Cases at a time: nearly all of their time is waiting for stale ages of ten seconds. */
export const ETCD_CONCURRENCY = 24;

/** Suits dozens of members in one process on a busy machine. */
const PATIENT = { timeout: "30s" } as const;
/** Where the servers are taken away; the default one is tested in outage.test.ts. */
const SHORT = { timeout: "6s" } as const;

/**
 * Real etcds. etcd's leases count whole seconds, two at least, and are looked through twice a second: the suite's times
 * are multiplied so that a stale age of it is ten seconds.
 *
 * @param maxMembers the largest group. More than a thousand take a minute on one node, and several on three that share
 *   a disk
 */
export function etcdTarget(nodes: 1 | 3, maxMembers = 200): ServedTarget {
  let server: EtcdServer;
  const options = () => ({ endpoints: server.endpoints });
  const each = (act: (node: EtcdServer["nodes"][number]) => Promise<void>) => async () => {
    await Promise.all(server.nodes.map(act));
  };
  return {
    name: `etcd (${nodes === 1 ? "one node" : "three nodes"})`,
    capabilities: etcdCapabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    timeScale: 20,
    maxMembers,
    async start() {
      server = await startEtcd({ control: true, nodes });
    },
    stop: async () => server?.stop(),
    createStore: ({ outage }) => etcdStore({ ...options(), ...(outage ? SHORT : PATIENT) }),
    createSkewedStore: (skewMs) =>
      etcdStore({
        ...options(),
        ...PATIENT,
        runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs },
      }),
    // Renewals of leases go with the reads, at the same time, and are no operations on data.
    roundTrips: () => countRequests(server.endpoints, ["Range", "Txn", "Put", "LeaseGrant"]),
    damage: etcdDamage(() => server.endpoints),
    faults: {
      kill: each((node) => node.kill()),
      restart: (options) => server.restart(options),
      pause: each((node) => node.pause()),
      resume: each((node) => node.resume()),
    },
  };
}

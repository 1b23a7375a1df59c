import { conformance, type StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { etcdCapabilities, etcdStore } from "../src/index.ts";
import { countRequests } from "./support/metrics.ts";

/**
 * The contract on real etcds. etcd's leases count whole seconds, two at least, and are looked through twice a second: the suite's times are
 * multiplied so that a stale age of it is ten seconds. Most of that is waiting, so many cases run at a time, and calls get a deadline that
 * suits dozens of members in one process; the default one is tested in outage.test.ts.
 */
describe.each([1, 3] as const)("etcd, nodes: %i", (nodes) => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({ control: true, nodes });
  });
  afterAll(() => server?.stop());
  const options = () => ({ endpoints: server.endpoints, timeout: "4s" }) as const;
  const each = (act: (node: EtcdServer["nodes"][number]) => Promise<void>) => async () => {
    await Promise.all(server.nodes.map(act));
  };
  const target: StoreTarget = {
    name: `etcd (${nodes === 1 ? "one node" : "three nodes"})`,
    capabilities: etcdCapabilities,
    timeScale: 20,
    createStore: () => etcdStore(options()),
    createSkewedStore: (skewMs) =>
      etcdStore({
        ...options(),
        runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs },
      }),
    // Renewals of leases go with the reads, at the same time, and are no operations on data.
    roundTrips: () => countRequests(server.endpoints, ["Range", "Txn", "Put", "LeaseGrant"]),
    faults: {
      kill: each((node) => node.kill()),
      restart: (options) => server.restart(options),
      pause: each((node) => node.pause()),
      resume: each((node) => node.resume()),
    },
  };
  conformance({ describe, it }, target, { concurrency: 16 });
});

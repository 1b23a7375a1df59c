import { startEtcd } from "@dt-tooling/backends";
import type { BenchStore } from "./bench-store.ts";
import { delayedStore } from "./delayed-store.ts";
import { etcdCounters } from "./etcd-counters.ts";

/** So long that a busy machine fails no call: what is measured is how long calls take. */
const timeout = "5m";

export const etcdOne: BenchStore = etcd(1);
export const etcdThree: BenchStore = etcd(3);

function etcd(nodes: 1 | 3): BenchStore {
  const size = nodes === 1 ? "one node" : "three nodes";
  return {
    name: `etcd-${nodes}`,
    callsPerRound: 200,
    start: async () => {
      const { etcdStore } = await import("@dt/etcd");
      const server = await startEtcd({ control: true, nodes });
      const { endpoints } = server;
      const store = etcdStore({ endpoints, timeout });
      const version = (await (await fetch(`${endpoints[0]}/version`)).json()) as { readonly etcdserver: string };
      return {
        store,
        configuration: `etcd ${version.etcdserver}, ${size} on loopback on one disk, fsync on; one client, one sync at a time`,
        counters: () => etcdCounters(endpoints),
        connectDelayed: () =>
          delayedStore(server.nodes, (ports) =>
            etcdStore({ endpoints: ports.map((port) => `http://127.0.0.1:${port}`), timeout }),
          ),
        stop: async () => {
          await store.close();
          await server.stop();
        },
      };
    },
  };
}

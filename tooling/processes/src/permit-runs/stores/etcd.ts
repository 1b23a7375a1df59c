import { startEtcd } from "@dt-tooling/backends";
import { COMPARE_AND_SWAP } from "./compare-and-swap.ts";
import { type RunStore, timeout } from "./run-store.ts";

export const etcd: RunStore = {
  name: "etcd",
  leastEveryMs: COMPARE_AND_SWAP.leastEveryMs,
  async start() {
    const server = await startEtcd({ control: true });
    const { endpoints } = server;
    const { etcdserver } = (await (await fetch(`${endpoints[0]}/version`)).json()) as { readonly etcdserver: string };
    return {
      module: "@dt/etcd",
      factory: "etcdStore",
      options: { endpoints, timeout },
      configuration: `etcd ${etcdserver}, one node on loopback, fsync on`,
      permitTtl: COMPARE_AND_SWAP.permitTtl,
      stop: () => server.stop(),
    };
  },
};

import { type RunningServer, startEtcd } from "@dt-tooling/backends";
import type { PermitStore } from "./permit-store.ts";
import { serverFaults, throughPort } from "./server-faults.ts";

export const etcd: PermitStore = {
  name: "etcd",
  leastEveryMs: 100,
  hybridClock: true,
  async start() {
    const server = await startEtcd({ control: true });
    const [endpoint] = server.endpoints;
    const { proxyPort, ...faults } = await serverFaults(server.nodes[0] as RunningServer);
    return {
      module: "@dt/etcd",
      factory: "etcdStore",
      options: { endpoints: [endpoint] },
      throughProxy: { endpoints: [throughPort(endpoint as string, proxyPort).replace(/\/$/, "")] },
      ...faults,
    };
  },
};

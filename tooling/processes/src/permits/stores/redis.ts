import { startRedis } from "@dt-tooling/backends";
import type { PermitStore } from "./permit-store.ts";
import { serverFaults, throughPort } from "./server-faults.ts";

export const redis: PermitStore = {
  name: "redis",
  async start() {
    const server = await startRedis({ control: true });
    const { proxyPort, ...faults } = await serverFaults(server);
    return {
      module: "@dt/redis",
      factory: "redisStore",
      options: { url: server.url },
      throughProxy: { url: throughPort(server.url, proxyPort) },
      ...faults,
      forget: () => server.restart({ keepData: false }),
    };
  },
};

import { startPostgres } from "@dt-tooling/backends";
import type { PermitStore } from "./permit-store.ts";
import { serverFaults, throughPort } from "./server-faults.ts";

export const postgres: PermitStore = {
  name: "postgres",
  async start() {
    const server = await startPostgres({ control: true });
    const { proxyPort, ...faults } = await serverFaults(server);
    return {
      module: "@dt/postgres",
      factory: "postgresStore",
      options: { connectionString: server.url, hints: true },
      throughProxy: { connectionString: throughPort(server.url, proxyPort), hints: true },
      ...faults,
    };
  },
};

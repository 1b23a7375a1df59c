import { startDynamoDb } from "@dt-tooling/backends";
import { makeTable } from "../../make-table.ts";
import type { PermitStore } from "./permit-store.ts";
import { serverFaults, throughPort } from "./server-faults.ts";

const table = "permits";

/** dynalite keeps its tables in memory: it is stopped, but not restarted. */
export const dynamodb: PermitStore = {
  name: "dynamodb",
  leastEveryMs: 200,
  hybridClock: true,
  async start() {
    const server = await startDynamoDb({ control: true });
    const config = { endpoint: server.url, region: server.region, credentials: server.credentials, maxAttempts: 1 };
    await makeTable(config, table);
    const { proxyPort, restart: _, die: __, ...faults } = await serverFaults(server);
    return {
      module: "@dt/dynamodb",
      factory: "dynamodbStore",
      options: { table, config },
      throughProxy: { table, config: { ...config, endpoint: throughPort(server.url, proxyPort) } },
      ...faults,
    };
  },
};

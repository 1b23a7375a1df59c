import type { DynamoDbClientConfig } from "@dt/dynamodb";
import { startDynamoDb } from "@dt-tooling/backends";
import type { BenchStore } from "./bench-store.ts";
import { delayedStore } from "./delayed-store.ts";
import { countingClient } from "./dynamodb-counters.ts";
import { processorUs } from "./processor-time.ts";

/** So long that a busy machine fails no call: what is measured is how long calls take. */
const timeout = "5m";
const table = "bench";

export const dynamodb: BenchStore = {
  name: "dynamodb",
  callsPerRound: 200,
  start: async () => {
    const { createTable, dynamodbStore } = await import("@dt/dynamodb");
    const server = await startDynamoDb({ control: true });
    const { url: endpoint, region, credentials } = server;
    const config: DynamoDbClientConfig = { endpoint, region, credentials, maxAttempts: 1 };
    const { client, spent } = countingClient(config);
    await createTable(client, table);
    const store = dynamodbStore({ table, client, timeout });
    return {
      store,
      configuration: `dynalite on loopback, which serves DynamoDB's API from one process of Node ${process.version.slice(1)}; not AWS; one client, one sync at a time`,
      counters: async () => ({ ...spent(), "µs of processor time": await processorUs(server.pid) }),
      connectDelayed: () =>
        delayedStore([server], ([port]) =>
          dynamodbStore({ table, config: { ...config, endpoint: `http://127.0.0.1:${port}` }, timeout }),
        ),
      stop: async () => {
        await store.close();
        client.destroy();
        await server.stop();
      },
    };
  },
};

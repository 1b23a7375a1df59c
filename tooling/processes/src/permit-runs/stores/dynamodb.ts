import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable } from "@dt/dynamodb";
import { startDynamoDb } from "@dt-tooling/backends";
import { COMPARE_AND_SWAP } from "./compare-and-swap.ts";
import { type RunStore, timeout } from "./run-store.ts";

const table = "permit-runs";

export const dynamodb: RunStore = {
  name: "dynamodb",
  leastEveryMs: COMPARE_AND_SWAP.leastEveryMs,
  async start() {
    const server = await startDynamoDb({ control: true });
    const config = { endpoint: server.url, region: server.region, credentials: server.credentials, maxAttempts: 1 };
    const client = new DynamoDBClient(config);
    await createTable(client, table).finally(() => client.destroy());
    return {
      module: "@dt/dynamodb",
      factory: "dynamodbStore",
      options: { table, config, timeout },
      configuration: "dynalite on loopback, a server of DynamoDB's API in one process of Node; not AWS",
      permitTtl: COMPARE_AND_SWAP.permitTtl,
      stop: () => server.stop(),
    };
  },
};

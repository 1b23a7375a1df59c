import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoDbServer } from "@dt-tooling/backends";
import { createTable } from "../../src/index.ts";

/** Makes the store's table on a server. */
export async function makeTable(server: DynamoDbServer, table: string): Promise<void> {
  const { url, region, credentials } = server;
  const client = new DynamoDBClient({ endpoint: url, region, credentials });
  try {
    await createTable(client, table);
  } finally {
    client.destroy();
  }
}

import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { createTable } from "@dt/dynamodb";

/** Makes the store's table. */
export async function makeTable(config: DynamoDBClientConfig, table: string): Promise<void> {
  const client = new DynamoDBClient(config);
  await createTable(client, table).finally(() => client.destroy());
}

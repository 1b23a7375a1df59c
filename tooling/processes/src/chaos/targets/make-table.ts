/**
 * Makes the store's table. A program of its own, for the sake of the loader:
 * `make-table.ts <JSON of endpoint, region, credentials, table>`.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable } from "@dt/dynamodb";

const { table, ...config } = JSON.parse(process.argv[2] as string);
const client = new DynamoDBClient(config);
await createTable(client, table);
client.destroy();

import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { type DynamoDbServer, startDynamoDb } from "../src/dynamodb.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { withVariable } from "./with-variable.ts";

const TableName = "items";

function clientOf({ url, region, credentials }: DynamoDbServer): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: url,
    region,
    credentials,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 500, requestTimeout: 500, throwOnRequestTimeout: true },
  });
}

async function makeTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "k", KeyType: "HASH" }],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.1, maxDelay: 0.1 }, { TableName });
}

/** Puts the item unless it is there. */
async function putOnce(client: DynamoDBClient): Promise<void> {
  const Item = { k: { S: "a" } };
  await client.send(new PutItemCommand({ TableName, Item, ConditionExpression: "attribute_not_exists(k)" }));
}

const get = async (client: DynamoDBClient) =>
  (await client.send(new GetItemCommand({ TableName, Key: { k: { S: "a" } }, ConsistentRead: true }))).Item;

describe("dynalite in a process of its own", () => {
  test("is paused, resumed, killed and restarted with its data and without, and leaves nothing", async () => {
    const server = await startDynamoDb({ control: true });
    const client = clientOf(server);
    try {
      await makeTable(client);
      await putOnce(client);
      await expect(putOnce(client)).rejects.toThrow("conditional request failed");
      await server.pause();
      await expect(get(client)).rejects.toThrow(/timeout|timed out/i);
      await server.resume();
      expect(await get(client)).toEqual({ k: { S: "a" } });
      await server.kill();
      await expect(get(client)).rejects.toThrow();
      await server.restart({ keepData: true });
      expect(await get(client)).toEqual({ k: { S: "a" } });
      await server.restart({ keepData: true });
      expect(await get(client)).toEqual({ k: { S: "a" } });
      await server.restart({ keepData: false });
      await expect(get(client)).rejects.toThrow("resource not found");
      const pid = server.pid as number;
      await Promise.all([server.stop(), server.stop()]);
      expectNothingLeft([pid], server.folder);
    } finally {
      client.destroy();
      await server.stop();
    }
  });

  test("is found through DT_DYNAMODB_URL for a plain start, and is then not ours to kill", async () => {
    await using own = await startDynamoDb({ control: true });
    await withVariable("DT_DYNAMODB_URL", own.url, async () => {
      const found = await startDynamoDb();
      expect(found).toMatchObject({ origin: "environment", canControl: false, url: own.url, port: own.port });
      await expect(found.kill()).rejects.toThrow("startDynamoDb({ control: true })");
    });
    await withVariable("DT_DYNAMODB_URL", "http://127.0.0.1:1", async () => {
      await expect(startDynamoDb()).rejects.toThrow("DT_DYNAMODB_URL=http://127.0.0.1:1 does not answer");
    });
  });
});

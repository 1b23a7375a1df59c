import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { startDynamoDb } from "../src/dynamodb.ts";
import { startEtcd } from "../src/etcd.ts";
import { startPostgres } from "../src/postgres.ts";
import { startRedis } from "../src/redis.ts";
import { withRedis } from "../src/redis-client.ts";
import { runSql } from "../src/sql.ts";

// Without options these take what is there: an address, a container or a process.
describe("a plain start, wherever the server comes from", () => {
  test("gives a Redis that answers", async () => {
    await using redis = await startRedis();
    expect(await withRedis(redis.url, (client) => client.ping())).toBe("PONG");
  });

  test("gives a PostgreSQL that answers", async () => {
    await using postgres = await startPostgres();
    expect(await runSql(postgres, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("gives an etcd that has a leader", async () => {
    await using etcd = await startEtcd();
    expect(etcd.nodes).toContain(await etcd.leader());
  });

  test("gives a DynamoDB API with all that a client asks for", async () => {
    await using dynamoDb = await startDynamoDb();
    const { url, region, credentials } = dynamoDb;
    const client = new DynamoDBClient({ endpoint: url, region, credentials });
    try {
      expect((await client.send(new ListTablesCommand({}))).TableNames).toBeInstanceOf(Array);
    } finally {
      client.destroy();
    }
  });
});

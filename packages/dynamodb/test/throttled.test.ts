import { type DynamoDbServer, startDynamoDb, timed } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Member } from "@dt-tooling/worlds/hybrid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { makeTable } from "./support/table.ts";
import { startThrottlingServer, type ThrottlingServer } from "./support/throttling-server.ts";

/** A table that says it has too much to do, in DynamoDB's own words. */
let server: DynamoDbServer;
let front: ThrottlingServer;
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
  front = await startThrottlingServer(server);
});
afterAll(async () => {
  await front?.stop();
  await server?.stop();
});
beforeEach(() => {
  front.refuse = 0;
  front.refused = 0;
});

const open = (timeout: number): DynamoDbStore => {
  const { region, credentials } = server;
  return dynamodbStore({ table: "throttle", timeout, config: { endpoint: front.url, region, credentials } });
};

it("requests that were throttled are sent again, and the call succeeds", async () => {
  await using store = open(8_000);
  const member = new Member(store, "g", "a");
  await member.join();
  front.refuse = 3;
  expect(await member.beat()).toMatchObject({ poolSize: 1, held: 100 });
  expect(front.refused).toBe(3);
  await member.leave();
});

it("a table that stays throttled is an error that says so and what to do, well before the deadline", async () => {
  await using store = open(1_000);
  const member = new Member(store, "h", "a");
  await member.join();
  front.refuse = Number.POSITIVE_INFINITY;
  const { value: error, ms } = await timed(failure(member.sync()));
  expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "unknown" });
  expect(error?.message).toContain("raise its capacity");
  expect(ms).toBeLessThan(1_000);
  // At least one repetition, and no hail of them: three requests together, each at most eight times in half a second.
  expect(front.refused).toBeGreaterThan(3);
  expect(front.refused).toBeLessThanOrEqual(24);
  front.refuse = 0;
  expect(await member.beat()).toMatchObject({ poolSize: 1 });
});

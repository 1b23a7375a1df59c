import { timed } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Member } from "@dt-tooling/simulator/hybrid";
import { expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { ThrottledTable } from "./support/throttling-server.ts";

/** A table that says it has too much to do, in DynamoDB's own words. */
const table = new ThrottledTable();

const open = (timeout: number): DynamoDbStore => {
  const { region, credentials } = table.server;
  return dynamodbStore({ table: "throttle", timeout, config: { endpoint: table.front.url, region, credentials } });
};

it("requests that were throttled are sent again, and the call succeeds", async () => {
  await using store = open(8_000);
  const member = new Member(store, "g", "a");
  await member.join();
  table.front.refuse = 3;
  expect(await member.beat()).toMatchObject({ members: 1, held: 100 });
  expect(table.front.refused).toBe(3);
  await member.leave();
});

it("a table that stays throttled is an error that says so and what to do, well before the deadline", async () => {
  await using store = open(1_000);
  const member = new Member(store, "h", "a");
  await member.join();
  table.front.refuse = Number.POSITIVE_INFINITY;
  const { value: error, ms } = await timed(failure(member.sync()));
  expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "unknown" });
  expect(error?.message).toContain("raise its capacity");
  expect(ms).toBeLessThan(1_000);
  // At least one repetition, and no hail of them: three requests together, each at most eight times in half a second.
  expect(table.front.refused).toBeGreaterThan(3);
  expect(table.front.refused).toBeLessThanOrEqual(24);
  table.front.refuse = 0;
  expect(await member.beat()).toMatchObject({ members: 1 });
});

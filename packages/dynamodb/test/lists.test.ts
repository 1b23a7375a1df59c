import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { countingClient } from "./support/counting-client.ts";
import { permitRequest } from "./support/permit-request.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
});
afterAll(() => server?.stop());
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });

async function open(table: string, prefix = "dt"): Promise<DynamoDbStore> {
  await makeTable(server, table);
  return dynamodbStore({ table, prefix, timeout: "10s", config: config() });
}

describe("a list", () => {
  it("has each group and key of its prefix once, whatever its members, and nothing of other prefixes", async () => {
    await using store = await open("names");
    await using other = await open("names", "dt2");
    for (const name of ["a", "#group#b", "ü \n"]) {
      for (let i = 0; i < 3; i++) await store.register(name, newcomer());
      await store.reserve(name, permitRequest());
    }
    await other.register("of the other", newcomer());
    await other.reserve("of the other", permitRequest());
    expect(((await store.list()).groups as string[]).sort()).toEqual(["#group#b", "a", "ü \n"]);
    expect(((await store.listPermits()).keys as string[]).sort()).toEqual(["#group#b", "a", "ü \n"]);
    expect(await other.list()).toEqual({ groups: ["of the other"] });
    expect(await other.listPermits()).toEqual({ keys: ["of the other"] });
  });

  it("goes on where the page before ended, in one request for each page", async () => {
    await using store = await open("many");
    const names = Array.from({ length: 1_100 }, (_, i) => `k${i}`);
    for (let from = 0; from < names.length; from += 50)
      await Promise.all(names.slice(from, from + 50).map((name) => store.reserve(name, permitRequest())));
    const { client, spent } = countingClient(config());
    await using reader = dynamodbStore({ table: "many", timeout: "10s", client });
    const first = await reader.listPermits();
    expect(first.keys.length).toBeLessThanOrEqual(1_000);
    const second = await reader.listPermits(first.next);
    expect(second.next).toBeUndefined();
    expect([...first.keys, ...second.keys].sort()).toEqual([...names].sort());
    expect(spent()).toMatchObject({ ScanCommand: 2 });
    client.destroy();
  });
});

it("an inspection of permits is one consistent read, and writes nothing", async () => {
  await using store = await open("inspected");
  await store.reserve("k", permitRequest({ everyMs: 60_000, terms: "one a minute" }));
  const { client, spent } = countingClient(config());
  await using reader = dynamodbStore({ table: "inspected", timeout: "10s", client });
  expect(await reader.inspectPermits("k")).toMatchObject({ key: "k", terms: "one a minute", known: 1, freed: 0 });
  expect(await reader.inspectPermits("other")).toBeUndefined();
  const { units: _, ...requests } = spent();
  expect(requests).toEqual({ GetItemCommand: 2 });
  client.destroy();
});

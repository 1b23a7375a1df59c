import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dynamodbStore } from "../src/index.ts";
import { countingClient } from "./support/counting-client.ts";
import { permitRequest } from "./support/permit-request.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
});
afterAll(() => server?.stop());

it("the policy of SECURITY.md allows every action that a store takes, and no other", async () => {
  const { url: endpoint, region, credentials } = server;
  const { client, spent } = countingClient({ endpoint, region, credentials });
  const store = dynamodbStore({ table: "throttle", timeout: "10s", client });
  const [first, second] = [new Member(store, "g", "a"), new Member(store, "g", "b")];
  await first.join();
  await second.join();
  await first.beat();
  await store.inspect("g");
  await first.leave();
  await second.leave();
  await store.reserve("k", permitRequest());
  await store.inspectPermits("k");
  await store.close();
  client.destroy();
  const taken = Object.keys(spent()).flatMap((command) => /^(\w+)Command$/.exec(command)?.slice(1) ?? []);
  expect(taken.map((action) => `dynamodb:${action}`).sort()).toEqual(allowedActions().sort());
});

it("a list takes the one action that SECURITY.md names for it, and nothing else", async () => {
  const { url: endpoint, region, credentials } = server;
  const { client, spent } = countingClient({ endpoint, region, credentials });
  const store = dynamodbStore({ table: "throttle", timeout: "10s", client });
  await store.list();
  await store.listPermits();
  await store.close();
  client.destroy();
  const { units: _, ...taken } = spent();
  expect(taken).toEqual({ ScanCommand: 2 });
  const page = readFileSync(join(import.meta.dirname, "../../../SECURITY.md"), "utf8");
  expect(page).toMatch(/A program that lists .* needs `dynamodb:Scan` besides/);
  expect(allowedActions()).not.toContain("dynamodb:Scan");
});

function allowedActions(): string[] {
  const page = readFileSync(join(import.meta.dirname, "../../../SECURITY.md"), "utf8");
  const policy = /<!-- iam policy -->\n```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  return JSON.parse(policy).Statement.flatMap(({ Action }: { Action: string[] }) => Action);
}

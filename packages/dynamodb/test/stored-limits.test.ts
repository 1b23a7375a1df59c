import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { testStoredGroups, testStoredLimits } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll } from "vitest";
import { dynamodbStore } from "../src/index.ts";
import { limitKey } from "../src/keys.ts";
import { FaultyDriver } from "./support/faulty-driver.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
let driver: FaultyDriver;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
  driver = new FaultyDriver(config(), "throttle");
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

const open = () => dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
testStoredLimits(open);
testStoredGroups(open, () => ({
  spoilLimit: (name, text) => driver.put({ ...limitKey("dt", { kind: "group", name }), text, writer: "another" }, {}),
}));

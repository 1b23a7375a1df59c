import { LONGEST_LEAD_MS } from "@dt/cas";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { testBudgetProcesses } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll } from "vitest";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
});
afterAll(() => server?.stop());

testBudgetProcesses(
  () => ({
    module: new URL("../src/index.ts", import.meta.url).href,
    factory: "dynamodbStore",
    store: { table: "throttle", config: config(), timeout: "5s" },
  }),
  2 * LONGEST_LEAD_MS,
);

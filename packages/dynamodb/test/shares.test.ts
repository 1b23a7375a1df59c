import { startDynamoDb } from "@dt-tooling/backends";
import { unevenFleet } from "@dt-tooling/simulator/uneven-fleet";
import { expect, onTestFinished, test } from "vitest";
import { dynamodbStore } from "../src/index.ts";
import { makeTable } from "./support/table.ts";

test("shares by demand: of 50 tokens the busy process has what four light ones leave, these have their 2, and nobody has more than 50", async () => {
  const server = await startDynamoDb();
  onTestFinished(() => server.stop());
  await makeTable(server, "shares");
  const { url: endpoint, region, credentials } = server;
  const { busy, light, most } = await unevenFleet(
    () => {
      const store = dynamodbStore({ table: "shares", config: { endpoint, region, credentials }, timeout: "8s" });
      onTestFinished(() => store.close());
      return store;
      // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
    },
    600,
    500,
  );
  // Twice the even part, on a machine as busy as it may be: how much exactly is measured by `bench -- fleet`.
  expect(busy).toBeGreaterThan(20);
  for (const tokens of light) expect(tokens).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(50);
});

import { type SharingFleet, type SharingResult, shareFleet } from "@dt-tooling/worlds/hybrid";
import { expect, it } from "vitest";
import type { Item } from "../../src/driver.ts";
import { ModelDynamoDb } from "./model-dynamodb.ts";

/** It grows by one with every change. */
function versionOf({ version }: Item = {}): number {
  return Number(version ?? 0);
}

/** As many as the store states. A round trip takes 8 ms on average. */
const fleet = { members: 50, latencyMs: 8 } as const;

async function share(change: Pick<SharingFleet, "shares" | "load"> & Partial<SharingFleet>): Promise<SharingResult> {
  const result = await shareFleet(
    { ...fleet, ...change },
    (...args) => new ModelDynamoDb(...args),
    ({ items }) => versionOf([...items.values()].find(({ sk }) => sk === "ledger")),
  );
  expect(result.most).toBeLessThanOrEqual(1);
  return result;
}

it("50 processes of which half ask at a time have nearly all of the limit by demand", async () => {
  const demand = await share({ shares: "demand", load: "turns" });
  expect(demand.granted).toBeGreaterThan(0.95);
});

it("where all want the same all the time, nothing is written but the time", async () => {
  const demand = await share({ shares: "demand", load: "steady" });
  expect(demand.granted).toBeGreaterThan(0.98);
  expect(demand.changesPerSecond).toBeLessThan(2);
});

it("where there is plenty, what changes by chance is hardly written", async () => {
  const calm = await share({ shares: "demand", load: "chance" });
  expect(calm.granted).toBeGreaterThan(0.48);
  expect(calm.changesPerSecond).toBeLessThan(20);
});

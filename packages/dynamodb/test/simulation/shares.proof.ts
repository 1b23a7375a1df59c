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

it("what 50 processes are measured by tells sharing evenly from sharing by demand", async () => {
  const even = await share({ shares: "even", load: "turns" });
  expect(even.granted).toBeLessThan(0.7);
});

it("and a calm processor from one that takes every change for a cheap one", async () => {
  const restless = await share({ shares: "demand", load: "chance", restless: true });
  expect(restless.changesPerSecond).toBeGreaterThan(20);
});

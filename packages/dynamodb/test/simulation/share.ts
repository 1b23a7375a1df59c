import { type SharingFleet, type SharingResult, shareFleet } from "@dt-tooling/simulator/hybrid";
import { expect } from "vitest";
import type { Item } from "../../src/driver.ts";
import { ModelDynamoDb } from "./model-dynamodb.ts";

/** It grows by one with every change. */
function versionOf({ version }: Item = {}): number {
  return Number(version ?? 0);
}

/** As many as the store states. A round trip takes 8 ms on average. */
const fleet = { members: 50, latencyMs: 8 } as const;

/** What a fleet reaches on the model; never more than its limit. */
export async function share(
  change: Pick<SharingFleet, "shares" | "load"> & Partial<SharingFleet>,
): Promise<SharingResult> {
  const result = await shareFleet(
    { ...fleet, ...change },
    (...args) => new ModelDynamoDb(...args),
    ({ items }) => versionOf([...items.values()].find(({ sk }) => sk === "ledger")),
  );
  expect(result.most).toBeLessThanOrEqual(1);
  return result;
}

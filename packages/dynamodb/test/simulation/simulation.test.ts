import { runMany } from "@dt-tooling/simulator/hybrid";
import { describe, expect, it } from "vitest";
import { ModelDynamoDb } from "./model-dynamodb.ts";

const model = (...args: ConstructorParameters<typeof ModelDynamoDb>): ModelDynamoDb => new ModelDynamoDb(...args);

describe("processes without a common clock, on a model of DynamoDB", () => {
  it("grant no more than max in any epoch, whatever becomes of them, and agree when it is over", async () => {
    const { violations, utilisation } = await runMany(model, 60);
    expect(violations).toEqual([]);
    // They are cut off, stopped and killed all the time.
    expect(utilisation).toBeGreaterThan(0.6);
  });

  it("that share by demand grant no more than max in any epoch, whatever becomes of them", async () => {
    const { violations, utilisation } = await runMany(model, 40, { shares: "demand" });
    expect(violations).toEqual([]);
    expect(utilisation).toBeGreaterThan(0.5);
  });

  it("are answered group times that lie no further apart than is promised, as long as they can reach DynamoDB", async () => {
    const calm = { profile: "calm", latencyMs: 8, syncIntervalMs: 1_000 } as const;
    const { violations, utilisation, worstLagMs } = await runMany(model, 60, calm);
    expect(violations).toEqual([]);
    expect(utilisation).toBeGreaterThan(0.8);
    expect(worstLagMs).toBeLessThan(1_600);
  });
});

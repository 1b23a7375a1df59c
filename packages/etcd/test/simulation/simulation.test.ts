import { runMany } from "@dt-tooling/simulator/hybrid";
import { describe, expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

describe("processes without a common clock, on a model of etcd", () => {
  it("grant no more than max in any epoch, whatever becomes of them, and agree when it is over", async () => {
    const models: ModelEtcd[] = [];
    const model = (...args: ConstructorParameters<typeof ModelEtcd>): ModelEtcd => {
      const one = new ModelEtcd(...args);
      models.push(one);
      return one;
    };
    const { violations, utilisation } = await runMany(model, 60);
    expect(violations).toEqual([]);
    expect(models.filter(({ signsAlone }) => signsAlone > 0)).toHaveLength(0);
    // They are cut off, stopped and killed all the time.
    expect(utilisation).toBeGreaterThan(0.6);
  });

  it("that share by demand grant no more than max in any epoch, whatever becomes of them", async () => {
    const model = (...args: ConstructorParameters<typeof ModelEtcd>): ModelEtcd => new ModelEtcd(...args);
    const { violations, utilisation } = await runMany(model, 40, { shares: "demand" });
    expect(violations).toEqual([]);
    expect(utilisation).toBeGreaterThan(0.5);
  });

  it("are answered group times that lie no further apart than is promised, as long as they can reach etcd", async () => {
    const model = (...args: ConstructorParameters<typeof ModelEtcd>): ModelEtcd => new ModelEtcd(...args);
    const { violations, utilisation, worstLagMs } = await runMany(model, 60, {
      profile: "calm",
      latencyMs: 8,
      syncIntervalMs: 1_000,
    });
    expect(violations).toEqual([]);
    expect(utilisation).toBeGreaterThan(0.8);
    expect(worstLagMs).toBeLessThan(1_600);
  });
});

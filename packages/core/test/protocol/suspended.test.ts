import type { BootReading } from "@dt-tooling/simulator/fleet";
import { describe, expect, it } from "vitest";
import { expectEveryEpochWithin, fleet } from "./support/scenario.ts";

/** Three members of 60 tokens that agree, on hosts that tell their boot time so. */
async function threeOf60(bootReading: BootReading) {
  const scenario = fleet({ max: 60, bootReading });
  const members = ["a", "b", "c"].map((name) => scenario.join(name));
  await scenario.pass(5_000);
  for (const member of members) expect(scenario.status(member)).toMatchObject({ agreed: true, share: 20 });
  await scenario.passToEpochEnd();
  await scenario.pass(300);
  return { scenario, a: members[0] as (typeof members)[0] };
}

const READINGS = ["none", "exact", "seconds"] as const;

describe("a machine that was suspended, whose clock stood still", () => {
  it.each(READINGS)("claims nothing once it is forgotten, and joins again (boot reading: %s)", async (reading) => {
    const { scenario, a } = await threeOf60(reading);
    scenario.happen({ kind: "suspend", member: "a", forMs: 15_000 });
    await scenario.pass(14_900);
    expect(scenario.granted(scenario.epoch)).toBe(60);
    await scenario.pass(8_000);
    expectEveryEpochWithin(scenario, 60);
    expect(scenario.status(a)).toMatchObject({ agreed: true, members: 3, share: 20 });
  });

  it("keeps its share when it was away for less than the stale age and nothing tells it", async () => {
    const { scenario, a } = await threeOf60("none");
    scenario.happen({ kind: "suspend", member: "a", forMs: 7_000 });
    await scenario.pass(8_500);
    expect(scenario.status(a)).toMatchObject({ state: "running", members: 3, held: 20 });
    await scenario.pass(3_000);
    expectEveryEpochWithin(scenario, 60);
  });

  it("grants no more than the rest of one share before it notices, where its boot time can be read", async () => {
    const { scenario, a } = await threeOf60("exact");
    const told: number[] = [];
    a.throttle.on("validityLost", ({ silentMs }) => told.push(silentMs));
    const lagging: number[] = [];
    a.throttle.on("grant", ({ epoch, tokens }) => {
      if (epoch < scenario.epoch - 1) lagging.push(tokens);
    });
    // The store is gone when it wakes, so that no answer tells it either.
    scenario.happen({ kind: "suspend", member: "a", forMs: 15_000 });
    await scenario.pass(14_000);
    scenario.happen({ kind: "cut", member: "a", how: "silent", forMs: 20_000 });
    await scenario.pass(15_000);
    expect(lagging.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(20);
    expect(scenario.status(a)).toMatchObject({ share: 0, agreed: false, held: 0 });
    expect(told).toEqual([expect.any(Number)]);
    expect(told[0]).toBeLessThan(3_000);
    expectEveryEpochWithin(scenario, 60);
  });

  it("takes no notice of an answer that was under way when it fell asleep", async () => {
    const { scenario, a } = await threeOf60("exact");
    scenario.happen({ kind: "slow", member: "a", forMs: 60_000, delayMs: 300 });
    for (let i = 0; i < 5; i++) {
      scenario.happen({ kind: "suspend", member: "a", forMs: 12_000 });
      await scenario.pass(12_000 + 137 * i);
    }
    await scenario.pass(60_000);
    expectEveryEpochWithin(scenario, 60);
    expect(scenario.status(a)).toMatchObject({ agreed: true, members: 3 });
  });
});

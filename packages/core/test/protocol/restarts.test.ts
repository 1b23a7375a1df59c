import { describe, expect, it } from "vitest";
import { epochsUntil, expectEveryEpochWithin, fleet } from "./support/scenario.ts";

describe("a restart under the same id", () => {
  it("is a new member at once; what the dead one held waits for its stale age", async () => {
    const scenario = fleet();
    scenario.join("a");
    scenario.join("b");
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100);
    scenario.happen({ kind: "crash", member: "b", restartAfterMs: 200 });
    await scenario.pass(3_000);
    const reborn = scenario.world.running("b");
    expect(reborn && scenario.status(reborn).members).toBe(3);
    expect(reborn && scenario.granted(scenario.epoch, reborn)).toBeGreaterThan(0);
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100, 15);
    expectEveryEpochWithin(scenario, 100);
  });

  it("a process whose id was given to another is fenced when it comes back, and grants nothing more", async () => {
    const scenario = fleet();
    const a = scenario.join("a");
    await scenario.pass(3_000);
    scenario.happen({ kind: "pause", member: "a", forMs: 5_000 });
    await scenario.pass(1_000);
    scenario.happen({ kind: "replace", member: "a", caller: "greedy" });
    await scenario.pass(6_000);
    expect(scenario.status(a).state).toBe("fenced");
    const [newest] = scenario.world.alive.slice(-1);
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch, newest) === 100, 5);
    expect(scenario.granted(scenario.epoch, a)).toBe(0);
    expectEveryEpochWithin(scenario, 100);
  });

  it("of everybody leaves no trace of those who left gracefully", async () => {
    const scenario = fleet();
    for (const name of ["a", "b", "c"]) scenario.join(name);
    await scenario.pass(5_000);
    for (const member of ["a", "b", "c"]) scenario.happen({ kind: "stop", member });
    await scenario.pass(1_000);
    expect(scenario.world.store.table.members()).toEqual([]);
    const again = ["a", "b", "c"].map((name) => scenario.join(name));
    const parts = (): number[] => again.map((one) => scenario.granted(scenario.epoch, one)).sort((a, b) => a - b);
    await epochsUntil(scenario, () => parts().every((part) => part > 0), 5);
    expect(parts()).toEqual([33, 33, 34]);
    expectEveryEpochWithin(scenario, 100);
  });
});

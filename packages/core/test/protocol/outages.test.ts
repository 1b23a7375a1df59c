import { describe, expect, it } from "vitest";
import { epochsUntil, expectEveryEpochWithin, fleet } from "./support/scenario.ts";

describe("lost replies", () => {
  it("cost nothing for as long as the share is valid, and the share ends with its validity", async () => {
    const scenario = fleet();
    const a = scenario.join("a");
    const b = scenario.join("b");
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100);
    scenario.happen({ kind: "cut", member: "a", how: "deaf", forMs: 20_000 });
    const cut = scenario.epoch;
    await scenario.pass(20_000);
    // The last answer came at most one sync before; 6.75 s later the share is over, although every request arrived.
    expect([5, 6, 7].map((later) => scenario.granted(cut + later, a))).toEqual([
      50,
      expect.any(Number),
      expect.any(Number),
    ]);
    for (let later = 8; later < 20; later++) expect(scenario.granted(cut + later, a)).toBe(0);
    // The store heard it all the time, so that nobody else was given its part.
    expect(scenario.granted(cut + 15, b)).toBe(50);
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100, 5);
    expectEveryEpochWithin(scenario, 100);
  });

  it("a share that was given away while replies were lost is not used twice", async () => {
    const scenario = fleet();
    scenario.join("a");
    scenario.join("b");
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100);
    scenario.happen({ kind: "cut", member: "a", how: "silent", forMs: 30_000 });
    const c = scenario.join("c");
    await scenario.pass(35_000);
    expect(scenario.granted(scenario.epoch - 1, c)).toBeGreaterThanOrEqual(33);
    expectEveryEpochWithin(scenario, 100);
  });
});

describe("a store that restarts", () => {
  it("with its data, within the validity, is not noticed", async () => {
    const scenario = fleet();
    const members = [scenario.join("a"), scenario.join("b")];
    await epochsUntil(scenario, () => members.every((member) => scenario.granted(scenario.epoch, member) === 50));
    scenario.happen({ kind: "store-down", how: "refused", forMs: 5_000 });
    for (let epoch = 0; epoch < 10; epoch++) {
      await scenario.pass(1_000);
      expect(scenario.granted(scenario.epoch - 1)).toBe(100);
    }
    expectEveryEpochWithin(scenario, 100);
  });

  it("without its data is told by the survivors what they hold; newcomers wait for them", async () => {
    const scenario = fleet({ learningMs: 7_000 });
    const survivors = [scenario.join("a"), scenario.join("b")];
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100);
    scenario.happen({ kind: "store-lost", how: "silent", forMs: 1_500 });
    await scenario.pass(1_500);
    const newcomer = scenario.join("c");
    const lost = scenario.epoch;
    await scenario.pass(6_000);
    // The survivors go on; each gives up its part for the newcomer, which gets it only once learning is over.
    for (let later = 2; later < 6; later++) {
      expect(scenario.granted(lost + later, newcomer)).toBe(0);
      for (const survivor of survivors) expect(scenario.granted(lost + later, survivor)).toBe(33);
    }
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 100, 6);
    expect(scenario.granted(scenario.epoch, newcomer)).toBeGreaterThanOrEqual(33);
    expectEveryEpochWithin(scenario, 100);
  });
});

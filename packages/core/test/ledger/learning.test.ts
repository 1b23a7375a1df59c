import { describe, expect, it } from "vitest";
import { Group } from "./support/group.ts";

describe("learning (R8)", () => {
  it("is not shortened by a later registration that asks for less", () => {
    const group = new Group();
    expect(group.join("a", { learningMs: 3_200 }).learning).toBe(true);
    expect(group.join("b", { learningMs: 10 }).learning).toBe(true);
    group.clockMs += 2_000;
    expect(group.join("c", { learningMs: 0 }).learning).toBe(true);
    expect(group.beat("a").learning).toBe(true);
    group.clockMs += 1_300;
    expect(group.beat("a").learning).toBe(false);
  });

  it("counts from when the store's data was certainly not lost, where the store can tell", () => {
    const group = new Group();
    const view = group.join("a", { learningMs: 3_000 }, group.clockMs - 2_000);
    expect(view.learning).toBe(true);
    group.clockMs += 900;
    expect(group.beat("a").learning).toBe(true);
    group.clockMs += 100;
    expect(group.beat("a")).toMatchObject({ learning: false, status: "agree", held: 100 });
  });

  it("is skipped in a group that is new in old data, also where a survivor is ahead of the store's clock", () => {
    for (const observedMs of [0, 1_050_000]) {
      for (const dataSinceMs of [0, 1_000_000 - 3_000]) {
        const group = new Group();
        expect(group.join("a", { learningMs: 3_000, observedMs }, dataSinceMs)).toMatchObject({
          learning: false,
          held: 100,
        });
        expect(group.join("b", { learningMs: 3_000 }, dataSinceMs).learning).toBe(false);
      }
    }
  });

  it("leaves no tokens to use in an epoch in which survivors may have used them, in a group that is new in old data", () => {
    const now = new Group().clockMs;
    const learning = { learningMs: 3_000, clockErrorMs: 250 };
    for (const [dataSinceMs, early] of [
      [now - 3_000, 0],
      [now - 4_499, 0],
      [now - 4_500, 100],
      [0, 100],
    ] as const)
      expect(new Group().join("a", learning, dataSinceMs)).toMatchObject({ learning: false, held: 100, early });
    expect(new Group().join("a", { learningMs: 0 }, now)).toMatchObject({ held: 100, early: 100 });
  });

  it("counts from the creation where the data is younger than that, or where its age is not known", () => {
    for (const dataSinceMs of [1_000_000, 1_000_500, undefined]) {
      const group = new Group();
      group.join("a", { learningMs: 3_000 }, dataSinceMs);
      for (const passedMs of [1_500, 1_499]) {
        group.clockMs += passedMs;
        expect(group.beat("a").learning).toBe(true);
      }
      group.clockMs += 1;
      expect(group.beat("a").learning).toBe(false);
    }
  });
});

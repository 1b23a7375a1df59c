import { describe, expect, it } from "vitest";
import { agreedShare, Budget, heldShare } from "../../src/shares/budget.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

describe("a budget released at the epoch's start", () => {
  it("grants the share and no more", () => {
    const budget = new Budget("epoch");
    budget.setShare(heldShare(5, 0, 1), 0, 1_000);
    expect([budget.take(3, 0), budget.take(3, 1), budget.take(3, 2)]).toEqual([3, 2, 0]);
    expect(budget.nextAt(3)).toBe(Number.POSITIVE_INFINITY);
  });

  it("grants again what was taken back", () => {
    const budget = new Budget("epoch");
    budget.setShare(heldShare(5, 0, 1), 0, 1_000);
    budget.take(5, 0);
    budget.takeBack(3);
    expect([budget.used, budget.take(9, 1), budget.used]).toEqual([2, 3, 5]);
  });

  it("counts tokens as unused, at most what was granted, without granting them again", () => {
    const budget = new Budget("epoch");
    budget.setShare(heldShare(5, 0, 1), 0, 1_000);
    budget.take(4, 0);
    expect([budget.countIdle(3), budget.countIdle(9), budget.countIdle(1)]).toEqual([3, 1, 0]);
    expect([budget.used, budget.take(9, 1), budget.used]).toEqual([0, 1, 1]);
    // What counted as unused already comes back: it is not counted twice.
    budget.takeBack(5);
    expect([budget.used, budget.available(1)]).toEqual([0, 5]);
    budget.begin();
    expect(budget.countIdle(1)).toBe(0);
  });

  it("grants nothing while more was granted than a lowered share allows", () => {
    const budget = new Budget("epoch");
    budget.setShare(heldShare(10, 0, 1), 0, 1_000);
    budget.take(7, 0);
    budget.setShare(heldShare(4, 0, 1), 0, 1_000);
    expect(budget.available(1)).toBe(0);
    budget.begin();
    expect(budget.available(1)).toBe(4);
  });
});

describe("a budget released evenly", () => {
  it("releases each token at its own instant, k / level of the interval", () => {
    const budget = new Budget("even");
    budget.setShare(agreedShare(10, 0, 0, 2, 1), 5_000, 1_000);
    const instants: number[] = [];
    for (let at = budget.nextAt(4_999); at !== Number.POSITIVE_INFINITY; at = budget.nextAt(at)) {
      expect(budget.take(9, at - 0.001)).toBe(0);
      expect(budget.take(9, at)).toBe(1);
      instants.push(at);
    }
    expect(instants).toEqual([5_000, 5_200, 5_400, 5_600, 5_800]);
  });

  it("names a later instant for the next token, wherever rounding puts it, so that waiting ends", () => {
    const random = new VirtualRuntime({ seed: 7 });
    const below = (limit: number): number => Math.floor(random.random() * limit);
    for (let i = 0; i < 300; i++) {
      const budget = new Budget("even");
      const startMs = random.random() * 1e9;
      const poolSize = 1 + below(20);
      const tokens = poolSize + below(500);
      budget.setShare(agreedShare(tokens, below(poolSize), below(1_000), poolSize, 1), startMs, 1_000);
      let looks = 0;
      for (let at = startMs; at !== Number.POSITIVE_INFINITY; at = budget.nextAt(at)) {
        budget.take(1, at);
        looks += 1;
        if (looks > 2_000) throw new Error(`${tokens} tokens of ${poolSize} from ${startMs}: stuck at ${at}`);
      }
      expect(budget.used).toBe(budget.tokens);
    }
  });

  it("forfeits what accumulates beyond the burst", () => {
    const budget = new Budget("even", 2);
    budget.setShare(heldShare(10, 0, 1), 0, 1_000);
    expect(budget.take(9, 650)).toBe(2);
    expect(budget.take(9, 650)).toBe(0);
    expect(budget.nextAt(651)).toBe(650 + 100);
    expect(budget.take(9, 1_000)).toBe(2);
    expect(budget.used).toBe(4);
  });

  it("never grants more than the share, however late", () => {
    const budget = new Budget("even", 100);
    budget.setShare(heldShare(10, 0, 1), 0, 1_000);
    expect(budget.take(99, 990)).toBe(10);
    expect(budget.take(99, 5_000)).toBe(0);
  });
});

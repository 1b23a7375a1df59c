import { describe, expect, test } from "vitest";
import { type Found, learned, nextRate } from "../../src/capacity/search.ts";

const RANGE = { from: 10, to: 1_000, precision: 0.05 };

/** Looks for a knee that is known. */
function find(knee: number, range = RANGE): { found: Found; tried: number[] } {
  const tried: number[] = [];
  let found: Found = { holds: undefined, fails: undefined };
  for (let rate = nextRate(found, range); rate !== undefined; rate = nextRate(found, range)) {
    tried.push(rate);
    found = learned(found, rate, rate <= knee);
  }
  return { found, tried };
}

describe("the search for the knee", () => {
  test("goes up by half until a rate fails, then halves what is left", () => {
    const { found, tried } = find(100);
    expect(tried.slice(0, 7).map(Math.round)).toEqual([10, 15, 23, 34, 51, 76, 114]);
    expect(found.holds).toBeLessThanOrEqual(100);
    expect(found.fails).toBeGreaterThan(100);
    expect((found.fails ?? 0) / (found.holds ?? 1)).toBeLessThanOrEqual(1.05);
    expect(tried.length).toBeLessThan(13);
  });

  test("ends at the highest rate when everything holds", () => {
    expect(find(5_000).found).toEqual({ holds: 1_000, fails: undefined });
  });

  test("ends at once when the first rate fails", () => {
    expect(find(5)).toEqual({ found: { holds: undefined, fails: 10 }, tried: [10] });
  });

  test("begins again below a rate that held by chance", () => {
    expect(learned({ holds: 100, fails: 120 }, 90, false)).toEqual({ holds: undefined, fails: 90 });
  });
});

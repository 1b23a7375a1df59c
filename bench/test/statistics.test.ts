import { describe, expect, it } from "vitest";
import { interleaved } from "../src/interleaved.ts";
import { longEnough } from "../src/long-enough.ts";
import { median, percentiles, quantile, quotient, spread } from "../src/statistics.ts";

describe("a median", () => {
  it("is the middle value, or the mean of the two in the middle", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
  });

  it("is the quantile of one half, and the greatest value that of 0.99 of few", () => {
    expect(quantile([9, 1, 5], 0.5)).toBe(5);
    expect(quantile([9, 1, 5], 0.99)).toBe(9);
    expect(
      quantile(
        Array.from({ length: 200 }, (_, i) => i + 1),
        0.99,
      ),
    ).toBe(198);
    expect(percentiles([9, 1, 5])).toEqual([5, 9]);
  });

  it("comes with the extremes", () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  });
});

describe("what was not measured", () => {
  it("is null: a median, quantiles and a quotient of nothing", () => {
    expect([median([]), quantile([], 0.5), percentiles([])]).toEqual([null, null, null]);
    expect([quotient(3, 0), quotient(0, 0), quotient(null, 2), quotient(3, null)]).toEqual([null, null, null, null]);
    expect(quotient(3, 2)).toBe(1.5);
    expect(() => spread([])).toThrow("no spread of nothing");
  });
});

describe("a short run", () => {
  const factors = async (isMeasured: (factor: number) => boolean): Promise<number[]> => {
    const run: number[] = [];
    await longEnough(async (factor) => run.push(factor) && factor, isMeasured);
    return run;
  };

  it("is the only one when it has measured something", async () => {
    expect(await factors(() => true)).toEqual([1]);
  });

  it("is made anew for twice as long each time until it has, up to 32 times", async () => {
    expect(await factors((factor) => factor >= 4)).toEqual([1, 2, 4]);
    expect(await factors(() => false)).toEqual([1, 2, 4, 8, 16, 32]);
  });
});

describe("interleaved rounds", () => {
  it("measure everybody once a round, each round beginning with the next one", async () => {
    const order: string[] = [];
    const measurements = await interleaved(["a", "b", "c"], 2, async (candidate, round) => {
      order.push(candidate);
      return `${candidate}${round}`;
    });
    expect(order.join("")).toBe("abcbca");
    expect(measurements).toEqual([
      ["a0", "a1"],
      ["b0", "b1"],
      ["c0", "c1"],
    ]);
  });
});

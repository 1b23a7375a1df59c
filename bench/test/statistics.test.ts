import { describe, expect, it } from "vitest";
import { interleaved } from "../src/interleaved.ts";
import { median, quantile, spread } from "../src/statistics.ts";

describe("a median", () => {
  it("is the middle value, or the mean of the two in the middle", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
    expect(() => median([])).toThrow("no median of nothing");
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
    expect(() => quantile([], 0.5)).toThrow("no quantile of nothing");
  });

  it("comes with the extremes", () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
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

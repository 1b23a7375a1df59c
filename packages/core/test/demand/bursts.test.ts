import { describe, expect, it } from "vitest";
import { Bursts } from "../../src/demand/bursts.ts";

/** What is needed after so many tokens were asked for in each interval, the last of them under way. */
function needAfter(tokens: readonly number[], intervalMs = 1_000): number {
  const bursts = new Bursts(intervalMs);
  for (const [interval, asked] of tokens.entries()) if (asked > 0) bursts.add(asked, interval * intervalMs);
  return bursts.need((tokens.length - 0.5) * intervalMs);
}

describe("what bursts need", () => {
  it("is what three of them needed, each after an interval that needed less", () => {
    expect(needAfter([20, 0, 12, 0, 16, 0])).toBe(12);
    expect(needAfter([20, 0, 12, 0, 16, 0, 14])).toBe(14);
    expect(needAfter([9, 12, 7, 11, 8, 13, 9])).toBe(11);
  });

  it("is nothing after one or two of them", () => {
    expect(needAfter([20, 0, 12, 0])).toBe(0);
    expect(needAfter([])).toBe(0);
  });

  it("is nothing where as much is needed all the time, or for long at a time: a share can follow that", () => {
    expect(needAfter([10, 10, 10, 10, 10, 10])).toBe(0);
    expect(needAfter([28, 28, 28, 0, 0, 0, 0, 28, 28, 28, 0])).toBe(0);
  });

  it("counts what is asked for in an interval together", () => {
    const bursts = new Bursts(1_000);
    for (const atMs of [0, 2_000, 4_000]) for (const partMs of [0, 125, 875]) bursts.add(2, atMs + partMs);
    expect(bursts.need(5_000)).toBe(6);
  });

  it("forgets what is ten intervals ago", () => {
    const bursts = [5, 0, 5, 0, 5, 0, 0, 0, 0, 0];
    expect(needAfter(bursts)).toBe(5);
    expect(needAfter([...bursts, 0])).toBe(5);
    expect(needAfter([...bursts, 0, 0])).toBe(0);
    expect(needAfter([...bursts, ...Array.from({ length: 100 }, () => 0)])).toBe(0);
  });

  it("is not looked for in intervals of more than 2 s, which are long enough to follow", () => {
    expect(needAfter([5, 0, 5, 0, 5], 2_000)).toBe(5);
    expect(needAfter([5, 0, 5, 0, 5], 2_001)).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { jain, measures } from "../../../src/fleet/shares/measures.ts";

describe("Jain's index", () => {
  it("is 1 where all have the same, and 1/n where one has everything", () => {
    expect(jain([3, 3, 3])).toBe(1);
    expect(jain([5, 0, 0, 0])).toBe(0.25);
    expect(jain([1, 3])).toBe(0.8);
    expect(jain([0, 0])).toBe(1);
    expect(jain([])).toBe(1);
  });
});

describe("the measures of a fleet", () => {
  const counts = { granted: [30, 10, 0], waits: [[900], [100, 200, 300], []], calls: 36, shareChanges: 9, most: 9 };

  it("are what was granted of what the oracle grants, and calls and changes for each member", () => {
    expect(measures(counts, [40, 20, 0], 10, 6)).toEqual({
      reached: 40 / 60,
      // The one that wanted nothing is not counted: (3/4 + 1/2)^2 / (2 x (9/16 + 1/4)).
      jain: 1.5625 / 1.625,
      syncsPerMemberSecond: 2,
      shareChangesPerMemberMinute: 30,
      // The even part is 20 tokens in six seconds.
      lightMedianWaitMs: 200,
      lightP99WaitMs: 300,
      fullestEpoch: 0.9,
    });
  });

  it("know of no light member where all want more than the even part", () => {
    const one = { ...counts, granted: [30], waits: [[100]] };
    expect(measures(one, [61], 10, 6)).toMatchObject({ lightMedianWaitMs: null, lightP99WaitMs: null });
  });
});

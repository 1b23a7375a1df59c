import { describe, expect, it } from "vitest";
import type { CalleeCall } from "../../src/budgets/callee.ts";
import { judge } from "../../src/budgets/judge.ts";

const QUOTA = { requests: 3, tokens: 100, windowMs: 1_000 };

const call = (beganMs: number, tokens: number, reserved = tokens): CalleeCall => ({
  ...{ worker: 0, lease: "", beganMs, reserved, tokens },
  ended: true,
});

describe("the judge of budgets", () => {
  it("finds nothing wrong where a window is full, and a call begins as the oldest leaves it", () => {
    const { violations, mostTokens, mostRequests } = judge([call(0, 60), call(500, 40), call(1_000, 60)], QUOTA, []);
    expect([violations, mostTokens, mostRequests]).toEqual([[], 1, 2 / 3]);
  });

  it("finds a window with too many tokens, in whatever order the calls are given", () => {
    const { violations } = judge([call(999, 61), call(0, 40)], QUOTA, []);
    expect(violations).toEqual(["2 requests and 101 tokens in the window until 999 ms, where 3 and 100 were allowed"]);
  });

  it("finds a window with too many requests", () => {
    const calls = [0, 1, 2, 3].map((beganMs) => call(beganMs, 1));
    expect(judge(calls, QUOTA, []).violations).toHaveLength(1);
  });

  it("excuses what calls of the window cost beyond what they had reserved, and no more", () => {
    expect(judge([call(0, 70, 40), call(500, 60)], QUOTA, [])).toMatchObject({ violations: [], overrun: 30 });
    expect(judge([call(0, 70, 40), call(500, 61)], QUOTA, []).violations).toHaveLength(1);
    // What was reserved too much excuses nothing.
    expect(judge([call(0, 70, 40), call(1, 20, 50), call(500, 41)], QUOTA, []).violations).toHaveLength(1);
    // The overrun has left the window.
    expect(judge([call(0, 70, 40), call(1_000, 60), call(1_100, 60)], QUOTA, []).violations).toHaveLength(1);
  });

  it("allows once more what is allowed in windows that hold a part of a loss, and shows them apart", () => {
    const losses = [{ fromMs: 1_000, toMs: 2_000 }];
    const calls = [call(900, 100), call(1_100, 100)];
    expect(judge(calls, QUOTA, losses)).toMatchObject({ violations: [], mostTokens: 1, mostAfterLoss: 2 });
    expect(judge([...calls, call(1_200, 1)], QUOTA, losses).violations).toHaveLength(1);
    expect(judge([call(3_100, 100), call(3_200, 1)], QUOTA, losses).violations).toHaveLength(1);
  });
});

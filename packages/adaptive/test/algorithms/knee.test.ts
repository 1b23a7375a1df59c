import { describe, expect, it } from "vitest";
import { boundsByKnee, confirmKnee, type Knee, NO_KNEE } from "../../src/algorithms/knee.ts";

const BEFORE: Knee = { ...NO_KNEE, limit: 20, rate: 0.4 };
const STAYING: Knee = { ...BEFORE, stayUntilMs: 10_000 };

describe("a limit that stays near the knee", () => {
  it("is free again once the queue that explained the knee is gone", () => {
    const found = confirmKnee(BEFORE, STAYING, "some");
    expect(boundsByKnee(found, 5_000)).toEqual({ most: 25, mostGrowth: 25 });
    expect(confirmKnee(found, found, "some")).toBe(found);
    expect(confirmKnee(found, found, "unknown")).toBe(found);
    const over = confirmKnee(found, found, "none");
    expect(boundsByKnee(over, 5_000)).toEqual({ most: Number.POSITIVE_INFINITY, mostGrowth: 80 });
  });

  it.each(["none", "unknown"] as const)("stays for its time when it was found with a queue of %s", (queue) => {
    const found = confirmKnee(BEFORE, STAYING, queue);
    expect(confirmKnee(found, found, "none")).toBe(found);
    expect(boundsByKnee(found, 9_999).most).toBe(25);
    expect(boundsByKnee(found, 10_000).most).toBe(Number.POSITIVE_INFINITY);
  });
});

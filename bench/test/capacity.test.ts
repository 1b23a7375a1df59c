import { describe, expect, it } from "vitest";
import { highestRate, laterThan } from "../src/capacity/known-capacity.ts";

describe("the known capacity of an M/M/c queue", () => {
  it("is that of M/M/1 in closed form with one server", () => {
    // Of M/M/1 the time of a call is exponential with rate mu - lambda.
    expect(laterThan(1, 10, 0.05, 40)).toBeCloseTo(Math.exp(-0.05 * 40), 10);
    expect(highestRate(1, 10, 0.99, 200)).toBeCloseTo(1000 * (0.1 - Math.log(100) / 200), 3);
  });

  it("is near all servers busy when a call may wait long, and none when it may not even be served", () => {
    expect(highestRate(8, 40, 0.99, 10_000)).toBeGreaterThan(0.99 * 200);
    expect(highestRate(8, 40, 0.99, 100)).toBe(0);
  });

  it("has its rates meet without a gap where drain and service are equal", () => {
    const rate = 3 * 0.1 - 0.1;
    expect(laterThan(3, 10, rate, 30)).toBeCloseTo(laterThan(3, 10, rate + 1e-6, 30), 4);
  });
});

import { describe, expect, it } from "vitest";
import { divideAmongSites } from "../../src/pacer/site-parts.ts";

const bursts = (burst: number, weights: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    [...divideAmongSites({ everyMs: 100, burst }, new Map(Object.entries(weights)))].map(([name, part]) => [
      name,
      part.burst,
    ]),
  );

describe("the parts of a total", () => {
  it("have a burst of one at least, and otherwise the total's between them", () => {
    expect(bursts(1, { a: 1, b: 1 })).toEqual({ a: 1, b: 1 });
    expect(bursts(5, { a: 1, b: 1, c: 1 })).toEqual({ a: 2, b: 2, c: 1 });
    expect(bursts(10, { a: 8, b: 1 })).toEqual({ a: 8, b: 2 });
  });

  it("add up for any weights, however these are ordered", () => {
    for (let burst = 1; burst <= 40; burst++)
      for (const weights of [{ a: 0.1, b: 0.2, c: 0.3 }, { c: 0.3, a: 0.1, b: 0.2 }, { a: 7 }]) {
        const parts = divideAmongSites({ everyMs: 100, burst }, new Map(Object.entries(weights)));
        const rates = [...parts.values()].reduce((sum, { everyMs }) => sum + 1 / everyMs, 0);
        expect(rates).toBeCloseTo(1 / 100, 10);
        expect([...parts.values()].reduce((sum, part) => sum + part.burst, 0)).toBe(Math.max(burst, parts.size));
        expect(parts.get("a")).toEqual(
          divideAmongSites({ everyMs: 100, burst }, new Map(Object.entries(weights).reverse())).get("a"),
        );
      }
  });
});

import { describe, expect, it } from "vitest";
import { TRAPS, trapsNamed } from "../src/traps/catalogue.ts";
import { spring } from "../src/traps/spring.ts";

describe("every trap", () => {
  it.each(TRAPS.map((trap) => ({ name: trap.name, trap })))("$name leads to an epoch above max", async ({ trap }) => {
    const { caught, rule, steps, trace } = await spring(trap);
    expect({ caught, rule }).toEqual({ caught: true, rule: "epoch-sum" });
    expect(trace).toHaveLength(steps ?? 0);
    expect(trace.flat().some((line) => / grants \d+ in epoch/.test(line))).toBe(true);
  });

  it("has a name of its own, and others are refused", () => {
    expect(new Set(TRAPS.map(({ name }) => name)).size).toBe(TRAPS.length);
    expect(() => trapsNamed(["x"])).toThrow(/--traps has "x"; give some of raise-not-recorded, /);
  });
});

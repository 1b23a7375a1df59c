import { describe, expect, it } from "vitest";
import { TRAPS, trapsNamed } from "../src/traps/catalogue.ts";
import { spring } from "../src/traps/spring.ts";

describe("every trap", () => {
  it.each(TRAPS.map((trap) => ({ name: trap.name, trap })))(
    "$name breaks the rule it is there for, in nearly all an epoch above max",
    ({ trap }) => {
      const { caught, rule, steps, trace } = spring(trap);
      expect({ caught, rule }).toEqual({ caught: true, rule: trap.rules[0] });
      expect(trace).toHaveLength(steps ?? 0);
      if (rule === "epoch-sum") expect(trace.flat().some((line) => / grants \d+ in epoch/.test(line))).toBe(true);
    },
  );

  it("leads to an epoch above max, but where no safety rests on what is wrong, or another rule makes up for it", () => {
    const others = TRAPS.filter(({ rules }) => rules.join() !== "epoch-sum").map(({ name }) => name);
    expect(others).toEqual(["demand-turn-beyond-free", "demand-own-tokens-free", "demand-want-of-the-gone"]);
  });

  it("has a name of its own, and others are refused", () => {
    expect(new Set(TRAPS.map(({ name }) => name)).size).toBe(TRAPS.length);
    expect(() => trapsNamed(["x"])).toThrow(/--traps has "x"; give some of raise-not-recorded, /);
  });
});

import { describe, expect, it } from "vitest";
import { spentUnits, unitsOf } from "../src/cost.ts";
import { Estimates } from "../src/estimates.ts";
import { checkLimits } from "../src/limits.ts";

const limits = checkLimits({
  requests: { rate: "600/min" },
  tokens: { rate: "60000/min", weights: { cached: 0, output: 2 } },
});
const nobody = { model: "", key: "" };
const units = (cost: unknown, estimates = new Estimates(), learner = nobody, keep = 0): readonly number[] =>
  unitsOf(cost as never, limits, { keep, enforce: true, stored: false }, learner, estimates);

describe("what a call reserves", () => {
  it.each([
    [undefined, [1, 0]],
    [{}, [1, 0]],
    [{ tokens: 500 }, [1, 500]],
    [{ requests: 0, tokens: 1.5 }, [0, 1.5]],
    [{ tokens: { most: 400 } }, [1, 400]],
    [{ tokens: { most: [400, undefined, 900] } }, [1, 900]],
    [{ tokens: { input: 100, output: { most: undefined } } }, [1, 100 + 2 * 1_200]],
    [{ tokens: { input: 100, output: 50 } }, [1, 200]],
    [{ tokens: { input: 100, cached: 1_000, output: 0 } }, [1, 100]],
    [{ tokens: { input: 100, output: { most: 300 } } }, [1, 700]],
  ])("%j reserves %j", (cost, expected) => {
    expect(units(cost)).toEqual(expected);
  });

  it("takes what may be spent at once for output of which nothing is known", () => {
    expect(units({ tokens: { input: 100 } })).toEqual([1, 100 + 2 * 1_200]);
    expect(units({ tokens: { most: [] } })).toEqual([1, 1_200]);
  });

  it("takes what calls of the same model and key cost, and else of the model, and else of all", () => {
    const estimates = new Estimates();
    estimates.learn("tokens", "output", { model: "a", key: "x" }, 10);
    estimates.learn("tokens", "output", { model: "a", key: "y" }, 30);
    estimates.learn("tokens", "output", { model: "b", key: "" }, 70);
    const of = (model: string, key: string) => units({ tokens: { input: 0 } }, estimates, { model, key })[1];
    expect([of("a", "x"), of("a", "z"), of("b", "x"), of("c", "")]).toEqual([20, 60, 140, 140]);
    expect(units({ tokens: { input: 0, output: { most: 5 } } }, estimates)[1]).toBe(10);
  });

  it("never takes more than the limit for a size that is not known, nor than a low priority may", () => {
    const estimates = new Estimates();
    estimates.learn("tokens", "output", nobody, 1e6);
    expect(units({ tokens: { input: 100 } }, estimates)).toEqual([1, 60_000]);
    expect(units({ tokens: { input: 100 } }, estimates, nobody, 0.2)).toEqual([1, 48_000]);
  });

  it.each([
    [{ tokens: 60_001 }, /cost.tokens is 60001, and the budget never holds more than 60000/],
    [{ token: 5 }, /cost is "token"; give an object of the limits requests, tokens/],
    [{ tokens: -1 }, /cost.tokens is -1/],
    [{ tokens: Number.NaN }, /cost.tokens is NaN/],
    [{ tokens: "5" }, /cost.tokens is "5"/],
    [{ tokens: null }, /cost.tokens is null/],
    [{ tokens: { inputs: 5 } }, /cost.tokens is "inputs"/],
    [{ tokens: { output: "x" } }, /cost.tokens.output/],
    [{ tokens: { most: -5 } }, /cost.tokens.most is -5/],
    [5, /cost is 5/],
    [[1], /cost is an array/],
  ])("%j is refused", (cost, message) => {
    expect(() => units(cost)).toThrow(message);
  });
});

describe("what a call has cost", () => {
  it("is weighed, and undefined for a limit that the usage leaves out", () => {
    expect(spentUnits({ tokens: 7 }, limits)).toEqual([undefined, 7]);
    expect(spentUnits({ tokens: { input: 5, cached: 100, output: 3, reasoning: 2 } }, limits)).toEqual([undefined, 13]);
  });

  it.each([[{ tokens: -1 }], [{ tokens: { output: Number.NaN } }], [{ other: 1 }], [7]])("%j is refused", (usage) => {
    expect(() => spentUnits(usage as never, limits)).toThrow(/usage/);
  });
});

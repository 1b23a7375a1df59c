import { describe, expect, it } from "vitest";
import { isSuccess, type Results, resultsText } from "../../src/conformance/results.ts";

const passed = { name: "sqlite", passed: 90, failed: 0, skipped: [{ case: "a case", why: "a reason" }] };
const good: Results = { targets: [passed], mutants: { total: 119, rejected: 119 } };

describe("a run", () => {
  it("is a success when every target passed and every mutant was rejected, or mutants were left out", () => {
    expect(isSuccess(good)).toBe(true);
    expect(isSuccess({ ...good, mutants: null })).toBe(true);
  });

  it.each<[string, Results]>([
    ["a case failed", { ...good, targets: [passed, { ...passed, failed: 1 }] }],
    ["a target passed nothing", { ...good, targets: [{ ...passed, passed: 0 }] }],
    ["a mutant got through", { ...good, mutants: { total: 119, rejected: 118 } }],
    ["there was no mutant", { ...good, mutants: { total: 0, rejected: 0 } }],
  ])("is none when %s", (_, results) => {
    expect(isSuccess(results)).toBe(false);
  });

  it("is shown as a line for each target and one for the mutants", () => {
    expect(resultsText(good)).toBe("sqlite  90 passed, 0 failed, 1 skipped\nmutants  119 of 119 rejected\n");
  });
});

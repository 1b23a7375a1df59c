import { describe, expect, it } from "vitest";
import { isSuccess, type Results, resultsText } from "../../src/conformance/results.ts";

const passed = { name: "sqlite", passed: 90, failed: 0, skipped: [{ case: "a case", why: "a reason" }] };
const good: Results = { targets: [passed] };

describe("a run", () => {
  it("is a success when every target passed", () => {
    expect(isSuccess(good)).toBe(true);
  });

  it.each<[string, Results]>([
    ["a case failed", { targets: [passed, { ...passed, failed: 1 }] }],
    ["a target passed nothing", { targets: [{ ...passed, passed: 0 }] }],
  ])("is none when %s", (_, results) => {
    expect(isSuccess(results)).toBe(false);
  });

  it("is shown as a line for each target", () => {
    expect(resultsText(good)).toBe("sqlite  90 passed, 0 failed, 1 skipped\n");
  });
});

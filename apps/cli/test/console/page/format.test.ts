import { describe, expect, test } from "vitest";
import { duration, limitOf, percent, quantity, valuesOf, visible } from "../../../src/console/page/format.ts";

test.each([
  [0, "0"],
  [0.25, "0.25"],
  [12.34, "12.3"],
  [99.96, "100"],
  [1_234, "1,234"],
  [12_340, "12.3k"],
  [999_960, "1M"],
  [-2, "-2"],
  [null, "–"],
  [undefined, "–"],
  [Number.NaN, "–"],
])("a quantity of %s is %s", (value, text) => expect(quantity(value)).toBe(text));

test.each([
  [0, "0 %"],
  [0.001, "< 1 %"],
  [0.874, "87 %"],
  [1.5, "150 %"],
  [null, "–"],
])("a part of %s is %s", (value, text) => expect(percent(value)).toBe(text));

test.each([
  [0.42, "0.4 ms"],
  [12.4, "12 ms"],
  [999.6, "1000 ms"],
  [3_240, "3.2 s"],
  [9_960, "10 s"],
  [59_600, "1 min"],
  [250_000, "4 min 10 s"],
  [7_500_000, "2 h 5 min"],
  [3 * 86_400_000, "3 d"],
])("%s ms are %s", (ms, text) => expect(duration(ms)).toBe(text));

describe("limits", () => {
  test.each([
    [200, 1_000, "200/s"],
    [60_000, 60_000, "60k/min"],
    [30, null, "30"],
    [5, 10_000, "5/10 s"],
    [100, 86_400_000, "100/d"],
    [7, 1_500, "7/1500 ms"],
    [60_000, 60_250, "60k/min"],
    [5, 1_025, "5/s"],
    [5, 1_026, "5/1026 ms"],
  ])("%s in %s ms is %s", (max, windowMs, text) => expect(limitOf({ max, windowMs })).toBe(text));

  test("values of the store are said as a person sets them", () => {
    expect(valuesOf({ max: 200 })).toBe("max 200");
    expect(valuesOf({ everyMs: 5, burst: 20 })).toBe("200/s, burst 20");
    expect(valuesOf({ max: 10, windowMs: 1_000, burst: 20, concurrent: 8 })).toBe("10/s, burst 20, concurrent 8");
    expect(valuesOf({ requests: 600, tokens: 60_000 })).toBe("requests 600, tokens 60,000");
    expect(valuesOf(undefined)).toBe("the code's");
  });
});

test("characters that turn or hide what follows are written out, all others stay", () => {
  expect(visible("a\u202Eb\u0000c\u200Bd\ne")).toBe("a\\u202eb\\u0000c\\u200bd\\u000ae");
  expect(visible(`<img src=x onerror="1"> Zürich 東京 🙂`)).toBe(`<img src=x onerror="1"> Zürich 東京 🙂`);
  expect(visible("half \uD83D")).toBe("half \\ud83d");
});

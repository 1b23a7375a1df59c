import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goDurationMs } from "../src/go-duration.ts";

const read = (text: string): number => goDurationMs("ttl", text);

describe("a duration of Go", () => {
  it.each([
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["100ms", 100],
    ["1h0m0s", 3_600_000],
    ["2h45m30.5s", 9_930_500],
    [".5s", 500],
    ["1.s", 1_000],
    ["+3s", 3_000],
    ["0", 0],
    ["+0", 0],
    ["0s", 0],
    ["1500us", 1.5],
    ["1500\u00b5s", 1.5],
    ["1500\u03bcs", 1.5],
    ["1ns", 1e-6],
    ["0.3333333333333333333h", 1_199_999.999999],
    ["1s1s", 2_000],
    ["2540400h", 9_145_440_000_000],
  ])("%s is %d ms", (text, ms) => {
    expect(read(text)).toBe(ms);
  });

  it.each([
    ["", "give numbers with units"],
    [" 1s", "give numbers with units"],
    ["1s ", "Go's units are"],
    ["10", "a unit is missing"],
    ["1m30", "a unit is missing"],
    ["1d", "Go has no unit for days"],
    ["1 s", "Go's units are"],
    ["1S", "Go's units are"],
    ["1sec", "Go's units are"],
    ["1e3s", "Go's units are"],
    ["1constructor", "Go's units are"],
    ["-1s", "it is negative"],
    [".s", "give numbers with units"],
    ["s", "give numbers with units"],
    ["1..5s", "a unit is missing"],
    ["+-1s", "give numbers with units"],
    ["0x10s", "Go's units are"],
    ["2562048h", "292 years"],
    ["1".repeat(100), "give numbers with units"],
  ])("%j is refused", (text, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringMatching(/^ttl is "/) }),
    );
    expect(() => read(text)).toThrow(reason);
  });

  it("adds up its parts, in any order", () => {
    const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
    const part = fc.record({ count: fc.nat(9_999), unit: fc.constantFrom("h", "m", "s", "ms") });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map(({ count, unit }) => `${count}${unit}`).join("");
        const sum = parts.reduce((ms, { count, unit }) => ms + count * units[unit as keyof typeof units], 0);
        expect(read(text)).toBe(sum);
      }),
    );
  });
});

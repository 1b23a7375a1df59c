import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRate, type Rate } from "../../src/internal/index.ts";

const MS_OF = { ms: 1, s: 1e3, sec: 1e3, second: 1e3, m: 6e4, min: 6e4, minute: 6e4, h: 36e5, hour: 36e5, d: 864e5 };

describe("a rate", () => {
  it.each<[Rate, number, number]>([
    ["10/s", 10, 1_000],
    ["600/min", 600, 60_000],
    ["1000/hour", 1_000, 3_600_000],
    ["1/day", 1, 86_400_000],
    ["5/90s", 5, 90_000],
    ["2.5/1.5h", 2.5, 5_400_000],
    [0.2, 0.2, 1_000],
  ])("%j is %d in %d ms", (rate, count, intervalMs) => {
    expect(parseRate("rate", rate)).toEqual({ count, intervalMs });
  });

  it("reads back whatever count, number of units and unit it was written with, with spaces or without", () => {
    const units = fc.constantFrom(...(Object.keys(MS_OF) as (keyof typeof MS_OF)[]));
    const number = fc.integer({ min: 1, max: 1e6 }).map((thousandths) => thousandths / 1_000);
    const space = fc.constantFrom("", " ");
    fc.assert(
      fc.property(number, fc.option(number), units, space, (count, times, unit, gap) => {
        const { intervalMs, ...rest } = parseRate("rate", `${count}${gap}/${gap}${times ?? ""}${unit}`);
        expect(rest).toEqual({ count });
        expect(intervalMs).toBeCloseTo((times ?? 1) * MS_OF[unit], 6);
      }),
    );
  });

  it("whatever else it is given, it answers with a count and a time above 0 or refuses it by name", () => {
    const pieces = fc.array(fc.constantFrom("1", "0", "-", ".", "/", " ", "s", "min", "e9", "x", "∞", "\n"));
    const anything = fc.oneof(
      pieces.map((some) => some.join("")),
      fc.anything(),
    );
    fc.assert(
      fc.property(anything, (value) => {
        try {
          const { count, intervalMs } = parseRate("rate", value);
          expect(Math.min(count, intervalMs)).toBeGreaterThan(0);
          expect(Number.isFinite(count) && Number.isFinite(intervalMs)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: "DT_INVALID_OPTION", message: expect.stringMatching(/^rate is .*; /s) });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["600 per min", '"600 per min"; give a count and a time such as "10/s", "600/min", "1000/hour" or "5/90s"'],
    ["600/minuts", '"600/minuts"; did you mean minute? give a count'],
    ["5/1m30s", '"5/1m30s"; give a count and a time such as'],
    ["600/constructor", '"600/constructor"; give a count and a time such as'],
    ["0/s", '"0/s"; give a count and a time that are more than 0'],
    ["1/0s", '"1/0s"; give a count and a time that are more than 0'],
    [`${"9".repeat(400)}/s`, "; give a count and a time that are more than 0"],
    [-1, "-1; give a count and a time that are more than 0"],
    [Number.NaN, "NaN; give a count and a time that are more than 0"],
    [undefined, "undefined; give a count"],
    [{ count: 1 }, "an object; give a count"],
  ])("%j is refused with the value and the remedy", (value, message) => {
    expect(() => parseRate("rate", value)).toThrow(message);
  });
});

import { describe, expect, test } from "vitest";
import type { RateSeries } from "../../src/demo/measure/rate.ts";
import { chart, chartPoints } from "../../src/demo/report/chart.ts";
import { SVG_POINTS, svg } from "../../src/demo/report/svg.ts";
import { goodResult } from "../support/result.ts";

const result = { ...goodResult, checks: [], pass: true };

function constantRate(points: number, rate: number, refused = 0): RateSeries {
  const fill = (value: number): number[] => new Array<number>(points).fill(value);
  const seconds = Array.from({ length: points }, (_, point) => (20 * (point + 1)) / points);
  return { seconds, total: fill(rate), refused: fill(refused), byWorker: new Map([[1, fill(rate)]]) };
}

describe("the chart in the terminal", () => {
  test("fills as much of its height as the rate is of the scale, with the limit as a dotted line", () => {
    const lines = chart(constantRate(20, 60), result);
    // The scale ends at 1.2 times the limit: 60 of 120 is half of eight rows.
    const full = "█".repeat(20);
    expect(lines.map((line) => line.includes(full))).toEqual([
      ...[false, false, false, false],
      ...[true, true, true, true],
      ...[false, false],
    ]);
    expect(lines[1]).toBe(` 100/s ┤${"┈".repeat(20)}`);
  });

  test("marks the changes at their time", () => {
    const marks = chart(constantRate(60, 97), result).at(-1) as string;
    expect(marks.indexOf("↑ join") - 8).toBe(12);
    expect(marks.indexOf("↑ kill") - 8).toBe(24);
    expect(marks.indexOf("↑ leave") - 8).toBe(45);
    expect(marks).toMatch(/20 s$/);
  });

  test("fits the terminal", () => {
    for (const columns of [30, 80, 100]) {
      const lines = chart(constantRate(chartPoints(columns), 97), result);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
    expect(chartPoints(500)).toBeLessThanOrEqual(120);
  });

  test("shows a rate far above the limit by a larger scale", () => {
    const lines = chart(constantRate(20, 1_000), result);
    expect(lines[0]).toContain("█".repeat(20));
  });
});

describe("the two fleets as a picture", () => {
  const parts = constantRate(SVG_POINTS, 121, 21);
  const document = svg(constantRate(SVG_POINTS, 97), parts, result);

  test("is well-formed XML with the limit, the changes and what the server counted of each fleet", () => {
    const open = [...document.matchAll(/<(\w+)[^>]*?(\/?)>/g)].filter(([, , closed]) => closed === "");
    const closed = [...document.matchAll(/<\/(\w+)>/g)];
    expect(open.map(([, name]) => name).sort()).toEqual(closed.map(([, name]) => name).sort());
    expect(document).not.toMatch(/NaN|Infinity|undefined/);
    for (const text of [
      "4 processes, one limit of 100 calls a second",
      ">Sharing the limit with @dt: at most 99 calls in any second, 0 of 2000 refused",
      ">Without, each process keeps to its own 24 a second: at most 121 calls in any second, 130 of 2100 refused",
      "a process joins",
      "one is killed",
      "one leaves",
      "the limit",
      result.machine,
      result.date,
    ])
      expect(document).toContain(text);
  });

  test("has the same words for readers who do not see it, and no script", () => {
    expect(document).toMatch(/role="img" aria-label="Calls a second over 20 seconds[^"]*130 of 2100 refused\."/);
    expect(document).not.toContain("<script");
  });

  test("fills what is above the limit, and only that", () => {
    expect(document.match(/class="over"/g)).toHaveLength(1);
    expect(svg(constantRate(SVG_POINTS, 97), constantRate(SVG_POINTS, 100), result)).not.toContain('class="over"');
  });

  test("is a few kilobytes", () => {
    const wavy = { ...parts, total: parts.total.map((calls, point) => calls + (point % 2)) };
    expect(svg(wavy, wavy, result).length).toBeLessThan(12_000);
  });
});

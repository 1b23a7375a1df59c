import { describe, expect, test } from "vitest";
import { linearAxis, logarithmicAxis, spanAxis } from "../../src/plot/axis.ts";
import { linePlots } from "../../src/plot/line-plots.ts";

describe("an axis", () => {
  test.each([
    [97, [0, 25, 50, 75, 100]],
    [100, [0, 25, 50, 75, 100]],
    [4_900, [0, 2_000, 4_000, 6_000]],
    [0.7, [0, 0.2, 0.4, 0.6, 0.8]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
  ])("up to %d has round marks", (highest, marks) => {
    expect(linearAxis(highest).marks).toEqual(marks);
  });

  test("shows values that differ by orders of magnitude as powers of ten", () => {
    const axis = logarithmicAxis(3, 5_000);
    expect(axis.marks).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(axis.place(100)).toBeCloseTo(0.5);
    expect(axis.place(0)).toBe(0);
  });

  test("of time goes from the beginning to the end", () => {
    const axis = spanAxis(0, 180);
    expect(axis.marks).toEqual([0, 50, 100, 150]);
    expect(axis.place(180)).toBe(1);
  });
});

describe("plots", () => {
  const svg = linePlots({
    title: "a < b & c",
    subtitle: "seed 1",
    columns: ["left", "right"],
    xLabel: "seconds",
    xs: [0, 1, 2, 3],
    x: spanAxis(0, 3),
    rows: [
      {
        label: "calls",
        y: linearAxis(10),
        columns: [
          [{ label: "limit", look: "first", values: [0, 5, Number.NaN, 10] }],
          [{ label: "limit", look: "first", values: [1, 1, 1, 1] }],
        ],
      },
    ],
  });

  test("have a path for each line, which has gaps where there is nothing to see", () => {
    const paths = [...svg.matchAll(/<path class="line first" d="([^"]*)"/g)].map(([, d]) => d);
    expect(paths).toHaveLength(2);
    expect(paths[0]).toMatch(/^M\S+L\S+M\S+$/);
    // A level line needs its ends only.
    expect(paths[1]).toMatch(/^M\S+L[^L]+$/);
  });

  test("name their columns, rows, lines and axes, each line once for a row", () => {
    for (const word of ["left", "right", "calls", "seconds"]) expect(svg).toContain(`>${word}</text>`);
    expect(svg.match(/>limit<\/text>/g)).toHaveLength(1);
    expect(svg).toContain("a &lt; b &amp; c");
  });

  test("have colours for a light and for a dark background", () => {
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
  });
});

test("a note at the right edge ends at its point, so that none is cut off", () => {
  const plots = {
    title: "t",
    subtitle: "",
    columns: [""],
    xLabel: "",
    xs: [0, 3],
    x: spanAxis(0, 3),
    rows: [
      {
        label: "calls",
        y: linearAxis(10),
        columns: [[{ label: "limit", look: "first" as const, values: [0, 5] }]],
        notes: [
          { x: 1, y: 5, text: "left" },
          { x: 3, y: 5, text: "right" },
        ],
      },
    ],
  };
  const svg = linePlots(plots);
  expect(svg).toMatch(/text-anchor="end">right<\/text>/);
  expect(svg).toMatch(/class="head">left<\/text>/);
});

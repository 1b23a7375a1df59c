import { describe, expect, it } from "vitest";
import { asMarkdown } from "../src/report/as-markdown.ts";
import { asText } from "../src/report/as-text.ts";
import { figure, figures, ratio } from "../src/report/format.ts";
import { atMost, below, type Report } from "../src/report/report.ts";

const report: Report = {
  tables: [{ title: "Speed", columns: ["who", "ns"], rows: [["a|b", "12.0"]], notes: ["Measured."] }],
  targets: [atMost("a / b", 1.25, 1.25), below("a / c", 1, 1), atMost("d / b", null, 1)],
};

describe("a report", () => {
  it("is a table with aligned columns in a terminal", () => {
    expect(asText(report)).toBe(
      [
        "Speed",
        "who    ns",
        "---  ----",
        "a|b  12.0",
        "  Measured.",
        "",
        "met     a / b: 1.25 (at most 1.25)",
        "MISSED  a / c: 1.00 (below 1.00)",
        "MISSED  d / b: not measured (at most 1.00)",
      ].join("\n"),
    );
  });

  it("is a table of Markdown on a page", () => {
    const lines = asMarkdown(report, 3).split("\n");
    expect(lines).toContain("### Speed");
    expect(lines).toContain("| a\\|b | 12.0 |");
    expect(lines).toContain("- Measured.");
    expect(lines).toContain("| a / c | 1.00 | below 1.00 | **no** |");
    expect(lines).toContain("| d / b | - | at most 1.00 | **no** |");
  });
});

describe("a figure", () => {
  it.each([
    [4_334_440.4, "4,334,440"],
    [41.63, "41.6"],
    [1.4, "1.40"],
    [-0.001, "0.00"],
    [-1.5, "-1.50"],
  ])("of %d is written %s", (value, text) => {
    expect(figure(value)).toBe(text);
  });

  it("that was not measured is a dash, alone and as a ratio", () => {
    expect([figure(null), ratio(null), figures(null), figures([1, null])]).toEqual(["-", "-", "-", "1.00, -"]);
  });
});

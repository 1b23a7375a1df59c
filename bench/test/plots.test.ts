import { describe, expect, it } from "vitest";
import { performancePage } from "../src/performance-page.ts";
import { barPlot, lengths, type Panel } from "../src/plots/bar-plot.ts";
import { plots, writtenPlots } from "../src/plots/plots.ts";
import { storesPage } from "../src/stores-page.ts";

const panel = (scale: Panel["scale"], values: readonly number[], end?: number): Panel => ({
  title: "Values",
  scale,
  ...(end !== undefined && { end }),
  bars: values.map((value) => ({ label: `of ${value}`, value, shown: String(value), look: "other" })),
});

describe("docs/plots", () => {
  it("shows what the kept results hold: a benchmark that is saved writes them anew", () => {
    expect(writtenPlots()).toEqual(plots());
  });

  it("is used: each plot stands in a page, with words for a reader who does not see it", () => {
    const shown = [...`${performancePage()}${storesPage()}`.matchAll(/!\[([^\]]+)\]\(plots\/([^)]+)\)/g)];
    expect(shown.map(([, , file]) => file).sort()).toEqual(Object.keys(plots()).sort());
    for (const [, words = ""] of shown) expect(words.split(/\s+/).length).toBeGreaterThan(10);
  });

  it("can stand in one page with the others: no id is in two, and each has a name and a description", () => {
    for (const plot of Object.values(plots())) {
      expect(plot).not.toMatch(/\bid="/);
      expect(plot).toMatch(/<svg [^>]*role="img">\n<title>[^<]+<\/title>\n<desc>[^<]+<\/desc>/);
    }
  });
});

describe("a plot of bars", () => {
  it("has bars as long as their values, from 0", () => {
    expect(lengths(panel("linear", [1, 2, 4]))).toEqual([0.25, 0.5, 1]);
    expect(lengths(panel("linear", [40, 80], 100))).toEqual([0.4, 0.8]);
    expect(lengths(panel("linear", [0, 0]))).toEqual([0, 0]);
  });

  it("has bars as long as their powers of ten, where values are far apart", () => {
    const [ten = 0, thousand = 0, most = 0] = lengths(panel("powers", [10, 1_000, 100_000]));
    expect(most).toBe(1);
    expect(thousand - ten).toBeCloseTo(most - thousand);
    expect(ten).toBeGreaterThan(0);
    expect(() => lengths(panel("powers", [0, 1]))).toThrow("values above 0");
  });

  it("draws each bar with its label and its value", () => {
    const svg = barPlot({ id: "a", title: "A & B", description: "Two.", panels: [panel("linear", [95, 190])] });
    expect(svg).toMatch(/>of 95<\/text><rect class="other" x="172" y="\d+" width="95" height="18"\/><text[^>]*>95</);
    expect(svg).toMatch(/>of 190<\/text><rect class="other" x="172" y="\d+" width="190" /);
    expect(svg).toContain("A &amp; B");
  });
});

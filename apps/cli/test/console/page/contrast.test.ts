import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../../../src/console/page/page.css"), "utf8");

/** The colours of the stylesheet by name: for light, and for dark. */
const COLOURS = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, [light, dark]] as const,
  ),
);

/** WCAG 2's contrast of two colours: from 1 to 21. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(front: string, back: string, look: 0 | 1): number {
  const [one, other] = [COLOURS.get(front)?.[look], COLOURS.get(back)?.[look]];
  if (one === undefined || other === undefined) throw new Error(`the stylesheet has no ${front} or no ${back}`);
  return contrast(one, other);
}

test("the contrast of black and white is 21", () => expect(contrast("#000000", "#ffffff")).toBe(21));

test.each([
  ["text", "page"],
  ["text", "panel"],
  ["dim", "page"],
  ["dim", "panel"],
  ["accent", "page"],
  ["accent", "panel"],
  ["on-accent", "accent"],
  ["limited", "page"],
  ["limited", "panel"],
  ["attention", "page"],
  ["attention", "panel"],
  ["attention", "attention-paper"],
  ["text", "attention-paper"],
])("%s on %s can be read, in light and in dark (AA: 4.5)", (front, back) => {
  for (const look of [0, 1] as const) expect(contrastOf(front, back, look)).toBeGreaterThanOrEqual(4.5);
});

test("marks and lines can be told from what is under them (AA: 3)", () => {
  for (const look of [0, 1] as const)
    for (const front of ["mark", "accent", "limited", "b3", "b5", "b10"])
      expect([front, look, contrastOf(front, "panel", look) >= 3]).toEqual([front, look, true]);
});

import { describe, expect, it } from "vitest";
import { drawingOf } from "../src/drawing.ts";

function styled(css: string): string {
  const html = drawingOf("d", `<svg viewBox="0 0 640 320" width="640"><style>${css}</style></svg>`, "A drawing");
  return /<style>(.*)<\/style>/.exec(html)?.[1]?.trim() ?? "";
}

describe("a drawing in a page", () => {
  it("is one line, as wide as the page, and described", () => {
    const svg = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" width="640" height="320" role="img" aria-label="x">
<title>A title</title>

<!-- by hand -->
<text>one</text>
</svg>`;
    expect(drawingOf("d", svg, "One < two")).toBe(
      '<figure class="drawing not-content"><div class="box"><svg xmlns="http://www.w3.org/2000/svg" ' +
        'viewBox="0 0 640 320" data-drawing="d" aria-hidden="true" style="--width: 640"> <text>one</text> </svg>' +
        '</div><figcaption class="sr-only">One &lt; two</figcaption></figure>',
    );
  });

  it("styles itself, and nothing else of the page", () => {
    expect(styled("svg, :root { color: red } .a, text > .b { fill: red } svg .c { fill: red }")).toBe(
      '[data-drawing="d"], [data-drawing="d"] { color: red } [data-drawing="d"] .a, [data-drawing="d"] text > .b' +
        ' { fill: red } [data-drawing="d"] .c { fill: red }',
    );
  });

  it("is dark where the site is, not where the system is", () => {
    const css = styled("@media (prefers-color-scheme: dark) { .a { fill: white } svg { color: white } }");
    expect(css).toBe(
      ':where(:root[data-theme="dark"]) [data-drawing="d"] .a { fill: white } ' +
        ':where(:root[data-theme="dark"]) [data-drawing="d"] { color: white }',
    );
  });

  it("keeps its motion, and stands still for readers who want none", () => {
    const css =
      "@keyframes d-move { from { x: 0 } to { x: 1px } } @media (prefers-reduced-motion: reduce) { .a { animation: none } }";
    expect(styled(css)).toBe(
      '@keyframes d-move { from { x: 0 } to { x: 1px } } @media (prefers-reduced-motion: reduce) { [data-drawing="d"] .a { animation: none } }',
    );
    expect(drawingOf("d", `<svg viewBox="0 0 1 1"><style>${css}</style></svg>`, "x")).toContain(" data-moves>");
  });

  it.each([
    ["<svg/>", "no viewBox"],
    ['<svg viewBox="0 0 1 1"><script/></svg>', "holds a script"],
    ['<svg viewBox="0 0 1 1"><animate attributeName="x"/></svg>', "moves by SMIL"],
    ['<svg viewBox="0 0 1 1"><image href="https://example.com/a.png"/></svg>', "loads another file"],
    ['<svg viewBox="0 0 1 1"><style>a { fill: url(b.svg) }</style></svg>', "loads another file"],
    [
      '<svg viewBox="0 0 1 1"><style>@media (prefers-color-scheme: light) { a { fill: red } }</style></svg>',
      "asks for",
    ],
  ])("%s is refused: %s", (svg, problem) => {
    expect(() => drawingOf("d", svg, "x")).toThrow(problem);
  });
});

/** Bars that are compared with each other, in one or several panels below each other. */
export interface BarPlot {
  /** The file's name without its end. */
  readonly id: string;
  readonly title: string;
  /** What the panels show, in a sentence or two, for a reader who does not see the picture. */
  readonly description: string;
  readonly panels: readonly Panel[];
}

/** Bars on one scale. */
export interface Panel {
  readonly title: string;
  /** `linear` begins at 0. `powers` is a scale of powers of ten, for values that are far apart. */
  readonly scale: "linear" | "powers";
  /** The end of a linear scale, where it is not the greatest value: 100 for percentages. */
  readonly end?: number;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as people read it. */
  readonly shown: string;
  /** `ours`: of this library. `reference`: what the others are compared with. */
  readonly look: "ours" | "other" | "reference";
}

/** Narrow, so that the text can be read on a phone. */
const WIDTH = 440;
const LEFT = 172;
const LONGEST = 190;
const BAR = 18;
const GAP = 6;
const TOP = 40;
const HEADING = 24;
const BETWEEN = 12;

/** The plot as an SVG document that needs nothing else, readable on light and on dark. Pure. */
export function barPlot({ title, description, panels }: BarPlot): string {
  let y = TOP;
  const drawn = panels.map((panel) => {
    const part = panelPart(panel, y);
    y += HEADING + panel.bars.length * (BAR + GAP) + BETWEEN;
    return part;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="dt-figure" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${y}" rx="8"/>`,
    `<text x="10" y="25" class="title">${escaped(title)}</text>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

/** How long each bar is, from 0 to 1. The shortest one on a scale of powers begins a power below its value. */
export function lengths({ scale, end, bars }: Panel): readonly number[] {
  const values = bars.map(({ value }) => value);
  if (scale === "linear") {
    const most = end ?? Math.max(...values);
    return values.map((value) => (most === 0 ? 0 : value / most));
  }
  if (values.some((value) => value <= 0)) throw new Error("a scale of powers of ten shows values above 0 only");
  const from = Math.floor(Math.log10(Math.min(...values)) - 1e-9);
  const to = Math.log10(Math.max(...values));
  return values.map((value) => (Math.log10(value) - from) / (to - from));
}

const STYLE = `
  svg { font: 14px system-ui, sans-serif }
  .ground { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e } .title { font-size: 16px; font-weight: 600 }
  .ours { fill: #0072b2 } .other { fill: #8c959f } .reference { fill: #c9d1d9 } .base { stroke: #8c959f } .end { text-anchor: end }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .dim { fill: #9198a1 }
    .ours { fill: #56b4e9 } .other { fill: #6e7681 } .reference { fill: #3d444d } .base { stroke: #6e7681 }
  }`;

function panelPart(panel: Panel, top: number): string {
  const parts = [`<text class="dim" x="10" y="${top + 14}">${escaped(panel.title)}</text>`];
  const bottom = top + HEADING + panel.bars.length * (BAR + GAP);
  const long = lengths(panel);
  for (const [index, { label, shown, look }] of panel.bars.entries()) {
    const y = top + HEADING + index * (BAR + GAP);
    const width = Math.max(1, Math.round((long[index] ?? 0) * LONGEST * 10) / 10);
    parts.push(
      `<text class="end" x="${LEFT - 8}" y="${y + 14}">${escaped(label)}</text>` +
        `<rect class="${look}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}"/>` +
        `<text x="${LEFT + width + 6}" y="${y + 14}">${escaped(shown)}</text>`,
    );
  }
  parts.push(`<line class="base" x1="${LEFT}" x2="${LEFT}" y1="${top + HEADING - 3}" y2="${bottom - 3}"/>`);
  return parts.join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

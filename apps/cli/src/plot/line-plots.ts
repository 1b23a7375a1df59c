import type { Axis } from "./axis.ts";

/** A line: what it shows, and how it is drawn. NaN leaves a gap. */
export interface Line {
  readonly label: string;
  readonly look: "first" | "second" | "reference";
  readonly values: readonly number[];
}

/** Plots that share what is on their vertical axis, one for each column. */
export interface PlotRow {
  readonly label: string;
  readonly y: Axis;
  readonly columns: readonly (readonly Line[])[];
}

/** Plots side by side, and below each other. */
export interface LinePlots {
  readonly title: string;
  readonly subtitle: string;
  readonly columns: readonly string[];
  readonly xLabel: string;
  readonly xs: readonly number[];
  readonly x: Axis;
  readonly rows: readonly PlotRow[];
  /** Of each plot; by default so that several fit beside each other. */
  readonly plotWidth?: number;
}

const PLOT = { width: 250, height: 130, gapX: 18, gapY: 46 } as const;
const MARGIN = { left: 64, top: 104, right: 20, bottom: 44 } as const;

/**
 * Colours of Okabe and Ito, which also people tell apart who do not see all colours; lighter ones on a dark background.
 */
const STYLE = `
  svg { font: 12px system-ui, sans-serif }
  .ground { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e } .title { font-size: 16px; font-weight: 600 } .head { font-weight: 600 }
  .grid { stroke: #e4e7eb } .frame { fill: none; stroke: #9aa4af } .line { fill: none; stroke-width: 1.5; stroke-linejoin: round }
  .first { stroke: #0072b2 } .second { stroke: #d55e00 } .reference { stroke: #59636e; stroke-dasharray: 5 3 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .dim { fill: #9198a1 } .grid { stroke: #262c36 } .frame { stroke: #59636e }
    .first { stroke: #56b4e9 } .second { stroke: #f0883e } .reference { stroke: #9198a1 }
  }`;

/** The plots as an SVG document that needs nothing else, readable on light and on dark. */
export function linePlots(plots: LinePlots): string {
  const { title, subtitle, columns, rows, xLabel, plotWidth = PLOT.width } = plots;
  const width = MARGIN.left + columns.length * (plotWidth + PLOT.gapX) - PLOT.gapX + MARGIN.right;
  const height = MARGIN.top + rows.length * (PLOT.height + PLOT.gapY) - PLOT.gapY + MARGIN.bottom;
  const wide = Math.max(width, 640);
  const parts = [
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${wide}" height="${height}"/>`,
    text(16, 26, title, "title"),
    text(16, 46, subtitle, "dim"),
    ...columns.map((name, column) => text(leftOf(column, plotWidth), MARGIN.top - 32, name, "head")),
    ...rows.flatMap((row, index) => rowParts(plots, row, index)),
    text(MARGIN.left, height - 10, xLabel, "dim"),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${height}" width="${wide}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

const leftOf = (column: number, width: number): number => MARGIN.left + column * (width + PLOT.gapX);
const topOf = (row: number): number => MARGIN.top + row * (PLOT.height + PLOT.gapY);

function rowParts(plots: LinePlots, row: PlotRow, index: number): string[] {
  const top = topOf(index);
  const last = index === plots.rows.length - 1;
  return [
    ...row.y.marks.map((mark) => text(MARGIN.left - 8, yOf(row.y, top, mark) + 4, show(mark), "dim", "end")),
    text(16, top - 8, row.label, "dim"),
    ...legend(row, top - 8),
    ...row.columns.flatMap((lines, column) =>
      plotParts(plots, row.y, lines, leftOf(column, plots.plotWidth ?? PLOT.width), top, last),
    ),
  ];
}

function plotParts(
  { x, xs, plotWidth = PLOT.width }: LinePlots,
  y: Axis,
  lines: readonly Line[],
  left: number,
  top: number,
  last: boolean,
): string[] {
  const xOf = (value: number): number => round(left + plotWidth * x.place(value));
  return [
    ...y.marks.map((mark) => straight(left, yOf(y, top, mark), left + plotWidth, yOf(y, top, mark))),
    ...x.marks.map((mark) => straight(xOf(mark), top, xOf(mark), top + PLOT.height)),
    `<rect class="frame" x="${left}" y="${top}" width="${plotWidth}" height="${PLOT.height}"/>`,
    ...lines.map(
      (line) => `<path class="line ${line.look}" d="${path(xs, line.values, xOf, (value) => yOf(y, top, value))}"/>`,
    ),
    ...(last ? x.marks.map((mark) => text(xOf(mark), top + PLOT.height + 16, show(mark), "dim", "middle")) : []),
  ];
}

/** To the right of the row's label: each look once. */
function legend({ label, columns }: PlotRow, baseline: number): string[] {
  const lines = new Map(columns.flat().map((line) => [line.look, line.label]));
  let left = Math.max(MARGIN.left, 16 + 6.6 * label.length) + 24;
  return [...lines].flatMap(([look, name]) => {
    const at = left;
    left += 44 + 6.6 * name.length;
    return [
      `<line class="line ${look}" x1="${round(at)}" x2="${round(at + 20)}" y1="${baseline - 4}" y2="${baseline - 4}"/>`,
      text(round(at + 26), baseline, name),
    ];
  });
}

function path(
  xs: readonly number[],
  values: readonly number[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  let drawing = false;
  return values
    .map((value, index) => {
      if (!Number.isFinite(value)) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${x(xs[index] as number)},${y(value)}`;
    })
    .join("");
}

const yOf = (axis: Axis, top: number, value: number): number => round(top + PLOT.height * (1 - axis.place(value)));

const straight = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line class="grid" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;

function text(x: number, y: number, content: string, look = "", anchor?: "middle" | "end"): string {
  const attributes = `${look && ` class="${look}"`}${anchor === undefined ? "" : ` text-anchor="${anchor}"`}`;
  return `<text x="${x}" y="${y}"${attributes}>${escaped(content)}</text>`;
}

const show = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 6 });

const round = (value: number): number => Math.round(10 * value) / 10;

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

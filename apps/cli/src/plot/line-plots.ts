import type { Axis } from "./axis.ts";

/** A line: what it shows, and how it is drawn. NaN leaves a gap. */
export interface Line {
  /** In the legend; "" is not there. */
  readonly label: string;
  readonly look: "first" | "second" | "part" | "reference";
  readonly values: readonly number[];
  /** What of the line is above this value is filled. */
  readonly filledAbove?: number;
}

/** A point of a plot, with words beside it. */
export interface Note {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Plots that share what is on their vertical axis, one for each column. */
export interface PlotRow {
  readonly label: string;
  readonly y: Axis;
  readonly columns: readonly (readonly Line[])[];
  /** In the first column. */
  readonly notes?: readonly Note[];
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
  /** What readers are told who do not see the picture; by default the title. */
  readonly description?: string;
  /** Whether each row has a legend of its own, or all have one, in place of the names of columns. */
  readonly legend?: "rows" | "once";
  /** What happened at some x: a line in every plot, with words in the first row. */
  readonly events?: readonly { readonly at: number; readonly label: string }[];
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
  .part { stroke: #0072b2; stroke-width: 0.6; opacity: 0.6 } .event { stroke: #9aa4af; stroke-dasharray: 2 3 }
  .over { fill: #d55e00; opacity: 0.45 } .dot { fill: #0072b2 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .dim { fill: #9198a1 } .grid { stroke: #262c36 } .frame { stroke: #59636e }
    .first, .part { stroke: #56b4e9 } .second { stroke: #f0883e } .reference { stroke: #9198a1 }
    .event { stroke: #59636e } .over { fill: #f0883e } .dot { fill: #56b4e9 }
  }`;

/** The plots as an SVG document that needs nothing else, readable on light and on dark. */
export function linePlots(plots: LinePlots): string {
  const { title, subtitle, columns, rows, xLabel, plotWidth = PLOT.width, description = title } = plots;
  const width = MARGIN.left + columns.length * (plotWidth + PLOT.gapX) - PLOT.gapX + MARGIN.right;
  const height = MARGIN.top + rows.length * (PLOT.height + PLOT.gapY) - PLOT.gapY + MARGIN.bottom;
  const wide = Math.max(width, 640);
  const parts = [
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${wide}" height="${height}"/>`,
    text(16, 26, title, "title"),
    text(16, 46, subtitle, "dim"),
    ...(plots.legend === "once"
      ? legend(
          rows.flatMap((row) => row.columns.flat()),
          16,
          MARGIN.top - 34,
        )
      : columns.map((name, column) => text(leftOf(column, plotWidth), MARGIN.top - 32, name, "head"))),
    ...rows.flatMap((row, index) => rowParts(plots, row, index)),
    text(MARGIN.left, height - 10, xLabel, "dim"),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${height}" width="${wide}" height="${height}" role="img" aria-label="${escaped(description)}">`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

const leftOf = (column: number, width: number): number => MARGIN.left + column * (width + PLOT.gapX);
const topOf = (row: number): number => MARGIN.top + row * (PLOT.height + PLOT.gapY);

function rowParts(plots: LinePlots, row: PlotRow, index: number): string[] {
  const top = topOf(index);
  const width = plots.plotWidth ?? PLOT.width;
  const once = plots.legend === "once";
  return [
    ...row.y.marks.map((mark) => text(MARGIN.left - 8, yOf(row.y, top, mark) + 4, show(mark), "dim", "end")),
    text(16, top - 8, row.label, once ? "head" : "dim"),
    ...(once ? [] : legend(row.columns.flat(), Math.max(MARGIN.left, 16 + 6.6 * row.label.length) + 24, top - 8)),
    ...row.columns.flatMap((lines, column) => plotParts(plots, row.y, lines, leftOf(column, width), top, index)),
    ...(row.notes ?? []).flatMap((note) => noteParts(plots, row.y, note, top)),
  ];
}

function plotParts(
  { x, xs, rows, plotWidth = PLOT.width, events = [] }: LinePlots,
  y: Axis,
  lines: readonly Line[],
  left: number,
  top: number,
  index: number,
): string[] {
  const last = index === rows.length - 1;
  const xOf = (value: number): number => round(left + plotWidth * x.place(value));
  return [
    ...y.marks.map((mark) => straight(left, yOf(y, top, mark), left + plotWidth, yOf(y, top, mark))),
    ...x.marks.map((mark) => straight(xOf(mark), top, xOf(mark), top + PLOT.height)),
    `<rect class="frame" x="${left}" y="${top}" width="${plotWidth}" height="${PLOT.height}"/>`,
    ...events.flatMap(({ at, label }) => [
      `<line class="event" x1="${xOf(at)}" x2="${xOf(at)}" y1="${top}" y2="${top + PLOT.height}"/>`,
      ...(index === 0 ? [text(xOf(at) + 4, top + 13, label, "dim")] : []),
    ]),
    ...lines.flatMap(({ look, values, filledAbove }) => {
      const outline = (of: readonly number[]): string => path(xs, of, xOf, (value) => yOf(y, top, value));
      const over = filledAbove === undefined ? [] : areasAbove(xs, values, filledAbove);
      return [
        ...over.map(
          (area) => `<path class="over" d="${path(area.xs, area.ys, xOf, (value) => yOf(y, top, value))}Z"/>`,
        ),
        `<path class="line ${look}" d="${outline(values)}"/>`,
      ];
    }),
    ...(last ? x.marks.map((mark) => text(xOf(mark), top + PLOT.height + 16, show(mark), "dim", "middle")) : []),
  ];
}

function noteParts({ x, plotWidth = PLOT.width }: LinePlots, y: Axis, note: Note, top: number): string[] {
  const at = { x: round(MARGIN.left + plotWidth * x.place(note.x)), y: yOf(y, top, note.y) };
  return [
    `<circle class="dot" cx="${at.x}" cy="${at.y}" r="3"/>`,
    // Words at the right edge end at their point.
    ...(x.place(note.x) > 0.9
      ? [text(round(at.x - 6), round(at.y - 5), note.text, "head", "end")]
      : [text(round(at.x + 6), round(at.y - 5), note.text, "head")]),
  ];
}

/** From a place to the right: each look once. */
function legend(all: readonly Line[], from: number, baseline: number): string[] {
  const lines = new Map(all.filter(({ label }) => label !== "").map((line) => [line.look, line.label]));
  let left = from;
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
      // Between neighbours of the same height, a point says nothing.
      if (values[index - 1] === value && values[index + 1] === value) return "";
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${x(xs[index] as number)},${y(value)}`;
    })
    .join("");
}

/** What a line leaves above a value, as closed outlines. */
export function areasAbove(
  xs: readonly number[],
  values: readonly number[],
  floor: number,
): { readonly xs: readonly number[]; readonly ys: readonly number[] }[] {
  const areas: { xs: number[]; ys: number[] }[] = [];
  let open: { xs: number[]; ys: number[] } | undefined;
  const add = (x: number, y: number): void => {
    open?.xs.push(x);
    open?.ys.push(y);
  };
  for (const [index, value] of values.entries()) {
    const x = xs[index] as number;
    const [beforeX, before] = [xs[index - 1] ?? x, values[index - 1] ?? floor];
    const crossing = before === value ? x : beforeX + ((x - beforeX) * (floor - before)) / (value - before);
    if (value > floor && open === undefined) {
      open = { xs: [], ys: [] };
      areas.push(open);
      add(crossing, floor);
    }
    if (value > floor) add(x, value);
    else if (open !== undefined) {
      add(crossing, floor);
      open = undefined;
    }
  }
  add(xs.at(-1) ?? 0, floor);
  return areas;
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

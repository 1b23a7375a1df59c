import type { RateSeries } from "../measure/rate.ts";
import type { DemoResult } from "../measure/verdict.ts";

const ROWS = 8;
const BLOCKS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/** Columns to the left of the plot: the rate, and the axis. */
const MARGIN = 8;

/** How many points a chart shows in a terminal of this many columns. */
export function chartPoints(columns: number): number {
  return Math.max(20, Math.min(columns, 120) - MARGIN - 1);
}

/**
 * The rate over time as lines of text: a column for each point, the server's limit as a dotted line, the changes below.
 */
export function chart(series: RateSeries, { max, changes, seconds }: DemoResult): string[] {
  const top = Math.max(1.2 * max, ...series.total);
  const limitRow = Math.min(ROWS - 1, Math.floor((ROWS * max) / top));
  const lines: string[] = [];
  for (let row = ROWS - 1; row >= 0; row--) {
    const label = row === limitRow ? `${max}/s` : row === 0 ? "0" : "";
    const cells = series.total.map((rate) => {
      const block = cell((ROWS * rate) / top - row);
      return block === " " && row === limitRow ? "┈" : block;
    });
    lines.push(`${label.padStart(MARGIN - 2)} ┤${cells.join("")}`);
  }
  const width = series.total.length;
  lines.push(`${" ".repeat(MARGIN - 1)}└${"─".repeat(width)}`);
  lines.push(marks(width, seconds, changes));
  return lines;
}

/** The block that fills a cell to a height from 0 to 1. */
function cell(height: number): string {
  return BLOCKS[Math.round(8 * Math.min(1, Math.max(0, height)))] as string;
}

/** A line with "0 s" at the left, the duration at the right, and each change at its time. */
function marks(width: number, seconds: number, changes: DemoResult["changes"]): string {
  const cells = new Array<string>(width).fill(" ");
  const put = (at: number, text: string): void => {
    const from = Math.max(0, Math.min(at, width - text.length));
    for (const [index, letter] of [...text].entries()) cells[from + index] = letter;
  };
  put(0, "0 s");
  put(width, `${seconds} s`);
  for (const { change, atSeconds } of changes) put(Math.round((width * atSeconds) / seconds), `↑ ${change}`);
  return " ".repeat(MARGIN) + cells.join("").trimEnd();
}

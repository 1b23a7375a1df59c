import { figure } from "./format.ts";
import type { Report, Table, Target } from "./report.ts";

/** A report for a terminal. */
export function asText({ tables, targets }: Report): string {
  return [...tables.map(tableText), targetsText(targets)].join("\n\n");
}

function tableText({ title, columns, rows, notes = [] }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [title, line(columns), rule, ...rows.map(line), ...notes.map((note) => `  ${note}`)].join("\n");
}

function targetsText(targets: readonly Target[]): string {
  return targets
    .map(({ name, value, bound, strict, met }) => {
      const relation = strict ? "below" : "at most";
      const measured = value === null ? "not measured" : figure(value);
      return `${met ? "met   " : "MISSED"}  ${name}: ${measured} (${relation} ${figure(bound)})`;
    })
    .join("\n");
}

import { figure } from "./format.ts";
import type { Report, Table, Target } from "./report.ts";

/** A report for a page of the documentation; its tables are headed at the given depth. */
export function asMarkdown({ tables, targets }: Report, depth: number): string {
  return [...tables.map((table) => tableMarkdown(table, depth)), targetsMarkdown(targets)].join("\n\n");
}

function tableMarkdown({ title, columns, rows, notes = [] }: Table, depth: number): string {
  const alignment = columns.map((_, i) => (i === 0 ? "---" : "---:"));
  const table = [columns, alignment, ...rows].map((row) => `| ${row.map(escaped).join(" | ")} |`).join("\n");
  return [
    `${"#".repeat(depth)} ${title}`,
    table,
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join("\n")] : []),
  ].join("\n\n");
}

function targetsMarkdown(targets: readonly Target[]): string {
  const rows = targets.map(({ name, value, bound, strict, met }) => {
    const relation = strict ? "below" : "at most";
    return `| ${name} | ${figure(value)} | ${relation} ${figure(bound)} | ${met ? "yes" : "**no**"} |`;
  });
  return ["| target | measured | bound | met |", "| --- | ---: | --- | --- |", ...rows].join("\n");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

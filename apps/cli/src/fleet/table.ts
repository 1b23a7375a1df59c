import { shown } from "../terminal.ts";

/** A column of a table: its title, and where its cells stand. */
export interface Column<Row> {
  readonly title: string;
  readonly align: "left" | "right";
  readonly cell: (row: Row) => string;
}

const GAP = "  ";

/** Rows below their titles; columns of which every cell is empty are left out. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const filled = columns
    .map(({ title, align, cell }) => ({ title, align, cells: rows.map((row) => oneLine(cell(row))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const lines = filled.map(({ title, align, cells }) => {
    const all = [title, ...cells];
    const width = all.reduce((most, { length }) => Math.max(most, length), 0);
    return all.map((cell) => (align === "left" ? cell.padEnd(width) : cell.padStart(width)));
  });
  return Array.from({ length: rows.length + 1 }, (_, at) =>
    lines
      .map((cells) => cells[at])
      .join(GAP)
      .trimEnd(),
  );
}

/** A text as it may be shown within a line: no name and no error ends it. */
export function oneLine(text: string): string {
  return shown(text).replaceAll("\n", "\\u000a");
}

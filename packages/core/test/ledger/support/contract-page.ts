import { readFileSync } from "node:fs";

/** The text of docs/store-contract.md, whose numbers are tested. */
export const page = readFileSync(new URL("../../../../../docs/store-contract.md", import.meta.url), "utf8");

/** The rows of the table below a heading whose own heading row begins so. */
export function rowsOf(heading: string, first: string): string[][] {
  const section = page.split("\n### ").find((text) => text.startsWith(heading)) ?? "";
  const lines = section.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  const rows = lines.slice(from + 2, lines.indexOf("", from));
  if (from < 0 || rows.length === 0) throw new Error(`no table of ${first} below ${heading}`);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export const number = (text = ""): number => Number(text.replaceAll(",", ""));
export const shown = (value: number): string => value.toLocaleString("en-US");

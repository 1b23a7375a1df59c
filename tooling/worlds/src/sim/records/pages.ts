import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { distributionsTable, phasesTable, profilesTable, sharesTable } from "./tables.ts";

const docs = fileURLToPath(new URL("../../../../../docs/", import.meta.url));

/** Every part of the documentation that comes from the records of runs: where it stands, and what it must say. */
export function recordedParts(): readonly { readonly file: string; readonly stands: string; readonly must: string }[] {
  const guarantees = readFileSync(`${docs}guarantees.md`, "utf8");
  return [{ file: "guarantees.md", stands: guarantees, must: withTables(guarantees) }];
}

/** Writes them. */
export function writePages(): void {
  writeFileSync(`${docs}guarantees.md`, withTables(readFileSync(`${docs}guarantees.md`, "utf8")));
}

function withTables(page: string): string {
  const tables = {
    profiles: profilesTable,
    shares: sharesTable,
    phases: phasesTable,
    distributions: distributionsTable,
  };
  return Object.entries(tables).reduce((text, [name, table]) => withTable(text, name, table()), page);
}

/** Puts a table between its two marks. */
function withTable(page: string, name: string, table: string): string {
  const from = `<!-- soak ${name} -->\n`;
  const to = `<!-- end of soak ${name} -->`;
  const start = page.indexOf(from);
  const end = page.indexOf(to);
  if (start < 0 || end < start) throw new Error(`the page has no place for the table "${name}": ${from}${to}`);
  return page.slice(0, start + from.length) + table + page.slice(end);
}

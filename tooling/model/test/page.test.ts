import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";
import { FULL_RUN } from "../src/runs.ts";
import { TRAPS } from "../src/traps/catalogue.ts";

const page = readFileSync(join(repositoryRoot, "docs/model.md"), "utf8");

/** The rows of the table that stands between a comment of that name and the next `end`, without its heading. */
function rowsOf(name: string): string[][] {
  const [, text = ""] = new RegExp(`<!-- ${name} -->\\n(.*?)<!-- end -->`, "s").exec(page) ?? [];
  const [, , ...rows] = text.trim().split("\n");
  return rows.map((row) => row.split("|").slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

const sumOf = (rows: readonly string[][], column: number): string =>
  rows.reduce((sum, row) => sum + Number(row[column]?.replaceAll(",", "")), 0).toLocaleString("en-US");

it("docs/model.md has every exploration of the full run, and no other", () => {
  const names = rowsOf("results").map(([name]) => name);
  expect(names.sort()).toEqual(FULL_RUN.map(({ name }) => name).sort());
});

it("docs/model.md has every trap in the words of the command, and no other", () => {
  const traps = rowsOf("traps").map(([name, what]) => [name, what]);
  expect(traps.sort()).toEqual(TRAPS.map(({ name, what }) => [`\`${name}\``, what]).sort());
});

it("the sums of docs/model.md are those of its rows", () => {
  const rows = rowsOf("results");
  const byDemand = rows.filter(([name]) => name?.includes("by demand"));
  const others = rows.filter((row) => !byDemand.includes(row));
  const text = page.replace(/\s+/g, " ");
  expect(text).toContain(`${sumOf(others, 2)} states and ${sumOf(others, 3)} transitions, no violation`);
  expect(text).toContain(`They add ${sumOf(byDemand, 2)} states and ${sumOf(byDemand, 3)} transitions`);
  expect(text).toContain(`in ${sumOf(rows, 2)} states`);
});

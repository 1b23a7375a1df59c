import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const libraries = globSync("docs/coming-from/*.md", { cwd: root }).map((page) => page.replace(/^.*\/|\.md$/g, ""));

const read = (path: string): string => readFileSync(path, "utf8");
const textOf = (folder: string, files: string): string =>
  globSync(files, { cwd: folder, exclude: (path) => path.endsWith("node_modules") })
    .map((file) => read(join(folder, file)))
    .join("\n");

/** Names of a reader's own things. */
const OF_THE_READER = new Set(["task", "tasks", "args", "call"]);

/** Words of at least four letters. */
const wordsOf = (code: string): string[] => code.match(/[A-Za-z]\w{3,}/g) ?? [];

/** The names in the code of a cell, without texts in quotes. */
const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)]
    .flatMap(([, code = ""]) => wordsOf(code.replace(/"[^"]*"/g, "")))
    .filter((name) => !OF_THE_READER.has(name));

/** The table of names: its heading, and its rows of two cells. */
function namesTable(library: string): { version: string; rows: readonly (readonly [string, string])[] } {
  const page = read(join(root, "docs/coming-from", `${library}.md`));
  const [, part = ""] = page.split("## Their names, and ours");
  const lines = (part.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const [head = "", ...rows] = lines.map((line) => line.slice(2, -2).split(" | "));
  const version = (head[0] ?? "").slice(library.length + 1);
  return { version, rows: rows.map(([theirs = "", ours = ""]) => [theirs, ours] as const) };
}

const ours = new Set(wordsOf(textOf(join(root, "packages"), "*/src/**/*.ts")));

describe.each(libraries)("docs/coming-from/%s.md", (library) => {
  const folder = join(import.meta.dirname, "../node_modules", library);
  const { version, rows } = namesTable(library);
  const theirs = new Set(wordsOf(textOf(folder, "**/*.{d.ts,js,mjs}")));

  it("is about the version that is installed", () => {
    const installed: string = JSON.parse(read(join(folder, "package.json"))).version;
    expect(`${installed}.`.startsWith(`${version}.`), `${installed}, and the page has ${version}`).toBe(true);
  });

  it("names what the library has", () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.flatMap(([cell]) => namesIn(cell)).filter((name) => !theirs.has(name))).toEqual([]);
  });

  it("names what is here", () => {
    const names = rows.flatMap(([, cell]) => namesIn(cell));
    expect(names.filter((name) => !ours.has(name) && !theirs.has(name))).toEqual([]);
  });
});

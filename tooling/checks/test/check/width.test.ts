import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, test } from "vitest";

/** The formatter wraps code at this column, and leaves comments and pages as they are. */
const WIDTH = 120;

interface Line {
  readonly line: string;
  readonly place: string;
}

/** The lines of all tracked files of a kind. */
function linesOf(patterns: readonly string[], without = (text: string): string => text): Line[] {
  const files = execFileSync("git", ["ls-files", ...patterns], { cwd: repositoryRoot, encoding: "utf8" });
  return files
    .split("\n")
    .filter((file) => file !== "")
    .flatMap((file) =>
      without(readFileSync(join(repositoryRoot, file), "utf8"))
        .split("\n")
        .map((line, i) => ({ line, place: `${file}:${i + 1}` })),
    );
}

/** A line that is a comment, and of which a part could go to the next. */
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*|--) .*\S \S/;
/** What of code has to stay in one line. */
const WHOLE = /biome-ignore|https?:\/\/\S{40}|^\s*\* \|/;

test("comments in code are wrapped at 120 columns", () => {
  const long = linesOf(["*.ts", "*.tsx", "*.lua", "*.sql"])
    .filter(({ line }) => line.length > WIDTH && COMMENT.test(line) && !WHOLE.test(line))
    .map(({ place }) => place);
  expect(long).toEqual([]);
});

/** Blocks of code, whose lines stay as they are. */
const CODE = /^(\s*)(```+|~~~+)[\s\S]*?^\s*\2\s*$/gm;
const emptied = (text: string): string => text.replace(CODE, (block) => block.replace(/[^\n]/g, ""));
/** What of a page has to stay in one line: a row of a table, a heading, a comment. */
const ROW = /^\s*(?:\||#|<!--)/;
/** What may stand before the first word. */
const MARK = /^\s*(?:>\s?)*(?:[-*+]|\d+[.)])?\s*/;
/** A word, or code, which is not wrapped. */
const WORD = /(?:`[^`]*`|[^\s`])+/g;

test("pages are wrapped at 120 columns", () => {
  const long = linesOf(["*.md"], emptied)
    .filter(({ line }) => line.length > WIDTH && !ROW.test(line))
    .filter(({ line }) => (line.replace(MARK, "").match(WORD) ?? []).length > 1)
    .map(({ place }) => place);
  expect(long).toEqual([]);
});

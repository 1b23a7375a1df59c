import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, test } from "vitest";

/** The formatter wraps code at this column, and leaves comments as they are. */
const WIDTH = 120;
/** A line that is a comment, and of which a part could go to the next. */
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*|--) .*\S \S/;
/** What has to stay in one line. */
const WHOLE = /biome-ignore|https?:\/\/\S{40}|^\s*\* \|/;

test("comments in code are wrapped at 120 columns", () => {
  const files = execFileSync("git", ["ls-files", "*.ts", "*.lua", "*.sql"], { cwd: repositoryRoot, encoding: "utf8" });
  const long = files
    .split("\n")
    .filter((file) => file !== "")
    .flatMap((file) =>
      readFileSync(join(repositoryRoot, file), "utf8")
        .split("\n")
        .map((line, i) => ({ line, place: `${file}:${i + 1}` }))
        .filter(({ line }) => line.length > WIDTH && COMMENT.test(line) && !WHOLE.test(line))
        .map(({ place }) => place),
    );
  expect(long).toEqual([]);
});

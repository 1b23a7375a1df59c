import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";

it("the one type check of the repository reads every TypeScript file in it", () => {
  const tsc = join(repositoryRoot, "node_modules/.bin/tsc");
  const listed = execFileSync(tsc, ["-p", "tsconfig.json", "--listFilesOnly"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    maxBuffer: 2 ** 24,
  });
  const checked = new Set(listed.split("\n").map((file) => relative(repositoryRoot, file)));
  const sources = globSync("{packages,apps,tooling,examples,bench}/**/*.ts", {
    cwd: repositoryRoot,
    exclude: ["**/node_modules", "**/dist"],
  });
  expect(sources.length).toBeGreaterThan(1_000);
  expect(sources.filter((file) => !checked.has(file))).toEqual([]);
});

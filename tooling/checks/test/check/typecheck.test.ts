import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";

/** One for what runs in Node, one for what runs in a browser, and one for the site, whose tools know both. */
const PROJECTS = ["tsconfig.json", "apps/cli/src/console/page", "apps/docs"];

it("the type checks of the repository read every TypeScript file in it", () => {
  const tsc = join(repositoryRoot, "node_modules/.bin/tsc");
  const listed = PROJECTS.map((project) =>
    execFileSync(tsc, ["-p", project, "--listFilesOnly"], {
      cwd: repositoryRoot,
      encoding: "utf8",
      maxBuffer: 2 ** 24,
    }),
  );
  const checked = new Set(listed.flatMap((files) => files.split("\n").map((file) => relative(repositoryRoot, file))));
  const sources = globSync("{packages,apps,tooling,examples,bench}/**/*.{ts,tsx}", {
    cwd: repositoryRoot,
    // Programs of fixtures are checked as their users do, against packed packages.
    exclude: ["**/node_modules", "**/dist", "**/.site", "tooling/checks/fixtures"],
  });
  expect(sources.length).toBeGreaterThan(1_000);
  expect(sources.filter((file) => !checked.has(file))).toEqual([]);
});

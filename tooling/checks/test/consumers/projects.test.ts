import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkProject, runScript } from "../../src/consumers/check-project.ts";
import { manifestOf, projectNames } from "../../src/consumers/projects.ts";
import { type ProjectServers, startProjectServers } from "../../src/consumers/servers.ts";
import type { PackedPackage } from "../../src/smoke/index.ts";
import { publishedPackages } from "../smoke/published.ts";

/** Those that take seconds; the others are in `npm run -s consumers`. */
const FAST = ["esbuild", "typescript", "vite"];

const folder = mkdtempSync(join(tmpdir(), "dt-consumers-"));
let packages: readonly PackedPackage[];
let servers: ProjectServers;

beforeAll(async () => {
  packages = await publishedPackages(folder);
  servers = await startProjectServers();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await servers?.stop();
});

it.each(FAST)("a project with %s uses the packages as published", async (project) => {
  const results = await checkProject(project, packages, servers.env);
  expect(results).toEqual(
    Object.keys(manifestOf(project).scripts).map((name) => ({ name: `${project}: ${name}`, status: "passed" })),
  );
});

it("a script passes when it ends well and prints OK", async () => {
  const options = { cwd: folder, env: {} };
  await expect(runScript("echo OK", options)).resolves.toBeUndefined();
  await expect(runScript("echo built", options)).rejects.toThrow("it did not print OK:\nbuilt");
  await expect(runScript("echo OK; exit 3", options)).rejects.toThrow("echo OK; exit 3");
});

it("every project pins its tools, has every package, and checks something", () => {
  expect(projectNames()).toEqual(expect.arrayContaining(FAST));
  for (const project of projectNames()) {
    const { scripts, dependencies, devDependencies } = manifestOf(project);
    expect(Object.keys(scripts)).not.toEqual([]);
    const libraries = packages
      .filter(({ manifest }) => manifest.bin === undefined)
      .map(({ manifest }) => manifest.name);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(libraries));
    const others = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([name]) => !libraries.includes(name),
    );
    for (const [, version] of others) expect(version).toMatch(/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/);
  }
});

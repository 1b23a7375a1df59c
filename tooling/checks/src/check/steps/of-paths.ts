import { isAbsolute, join, relative } from "node:path";
import { repositoryRoot, type WorkspacePackage, workspacePackages } from "@dt-tooling/bootstrap";
import type { Step } from "../step.ts";
import { testStep } from "./tests.ts";
import { toolStep } from "./tool-step.ts";
import { biome, turbo } from "./tools.ts";

/** The part of the repository that a path stands for. */
export interface Part {
  readonly packages: readonly WorkspacePackage[];
  /**
   * Absolute paths of the tests: a path that lies among a package's tests stands for itself, every other one for all of
   * its package's.
   */
  readonly tests: readonly string[];
}

/**
 * What `npm test -- packages/redis` means.
 *
 * @param path relative to the repository's root, or absolute: a package, a folder of packages, or something in a
 *   package
 * @throws Error when no package is there.
 */
export function partAt(path: string, all: readonly WorkspacePackage[] = workspacePackages()): Part {
  const wanted = relative(repositoryRoot, isAbsolute(path) ? path : join(repositoryRoot, path));
  const packages = all.filter(({ folder }) => isIn(wanted, folder) || isIn(folder, wanted));
  if (packages.length === 0) throw new Error(`There is no package at ${path}; a path is, for example, packages/redis.`);
  const isTest = packages.some(({ folder }) => isIn(wanted, `${folder}/test`));
  return { packages, tests: isTest ? [join(repositoryRoot, wanted)] : packages.map(({ path }) => `${path}/`) };
}

/**
 * What must hold for these paths, and nothing else: what their packages import is built, their types and tests, and
 * lint of the paths themselves.
 */
export function ofPaths(paths: readonly string[]): Step[] {
  const parts = paths.map((path) => partAt(path));
  const names = [...new Set(parts.flatMap(({ packages }) => packages.map(({ manifest }) => manifest.name)))];
  return [
    toolStep("build", "turbo", [
      "run",
      "build",
      "--continue",
      ...names.map((name) => `--filter=${name}^...`),
      ...turbo,
    ]),
    toolStep("typecheck", "turbo", [
      "run",
      "typecheck",
      "--continue",
      ...names.map((name) => `--filter=${name}`),
      ...turbo,
    ]),
    toolStep("lint", "biome", [...biome, ...paths]),
    testStep(
      parts.flatMap(({ tests }) => tests),
      ["build"],
    ),
  ];
}

/** Whether a path is the folder, or in it. */
function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || folder === "";
}

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import type { State } from "./preflight.ts";
import { publishedPackages } from "./published-packages.ts";

/** The state of this checkout. */
export function stateOf(): State {
  const changelog = join(repositoryRoot, "CHANGELOG.md");
  return {
    changedFiles: git("status", "--porcelain"),
    pendingChanges: readdirSync(join(repositoryRoot, ".changeset")).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    ),
    versions: Object.fromEntries(publishedPackages().map(({ manifest }) => [manifest.name, manifest.version])),
    changelog: existsSync(changelog) ? readFileSync(changelog, "utf8") : "",
    tags: git("tag", "--list").split("\n"),
    origin: git("config", "--default", "", "--get", "remote.origin.url").trim(),
  };
}

/** Takes back what a step wrote into files that git has. */
export function restore(files: readonly string[]): void {
  git("checkout", "--quiet", "--", ...files);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repositoryRoot, encoding: "utf8" });
}

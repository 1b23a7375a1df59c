import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, workspacePackages } from "@dt-tooling/bootstrap";
import { afterEach, beforeEach, expect, it } from "vitest";

const changesets = join(repositoryRoot, "node_modules/@changesets/cli/bin.js");
const packages = workspacePackages();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dt-release-"));
  const manifests = packages.map((entry) => `${entry.folder}/package.json`);
  for (const file of ["package.json", "pnpm-workspace.yaml", ".changeset/config.json", ...manifests])
    cpSync(join(repositoryRoot, file), join(folder, file));
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const published = packages.filter(({ manifest }) => manifest.private !== true);

/** The versions of all published packages after a change of core, which all are peers of. */
function versionsAfter(change: "patch" | "minor" | "major", version: string): Set<string> {
  for (const entry of published)
    writeFileSync(join(folder, entry.folder, "package.json"), JSON.stringify({ ...entry.manifest, version }));
  mkdirSync(join(folder, ".changeset"), { recursive: true });
  writeFileSync(join(folder, ".changeset/change.md"), `---\n"@dt/core": ${change}\n---\n\nA change.\n`);
  execFileSync(process.execPath, [changesets, "version"], { cwd: folder, stdio: "pipe" });
  const versionOf = (place: string) => JSON.parse(readFileSync(join(folder, place, "package.json"), "utf8")).version;
  return new Set(published.map((entry) => versionOf(entry.folder)));
}

it.each([
  ["patch", "1.2.3", "1.2.4"],
  ["minor", "1.2.3", "1.3.0"],
  ["major", "1.2.3", "2.0.0"],
  ["patch", "0.1.0", "0.1.1"],
  ["minor", "0.1.0", "0.2.0"],
] as const)("a %s of core at %s releases every package as %s", (change, before, after) => {
  expect([...versionsAfter(change, before)]).toEqual([after]);
});

/**
 * `npm run -s version-packages`: the next version, of the changes that `.changeset` describes, and the one changelog.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readChangesets } from "@changesets/read";
import { readManifest, repositoryRoot } from "@dt-tooling/bootstrap";
import { run } from "../check/child.ts";
import { type Change, entryOf, withEntry } from "./changelog.ts";
import { publishedPackages } from "./published-packages.ts";

const CHANGELOG = join(repositoryRoot, "CHANGELOG.md");
const write = (text: string): boolean => process.stdout.write(text);

const changes: readonly Change[] = await readChangesets(repositoryRoot);
if (changes.length === 0) {
  fail("no change is described in .changeset: describe one with `pnpm changeset`");
} else {
  const problem = await run("changeset", ["version"], write);
  if (problem === undefined) record();
  else fail(`changeset version ended with ${problem}`);
}

function record(): void {
  const packages = publishedPackages();
  const version = readManifest(packages[0]?.path ?? "").version ?? "";
  const names = packages.map(({ manifest }) => manifest.name);
  let before = "";
  try {
    before = readFileSync(CHANGELOG, "utf8");
  } catch {
    // The first release.
  }
  writeFileSync(CHANGELOG, withEntry(before, entryOf(version, changes, names)));
  write(`all packages are ${version}; CHANGELOG.md has what is new\n`);
}

function fail(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

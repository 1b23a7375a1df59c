import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const script = join(import.meta.dirname, "../name-repository.mjs");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dt-repository-"));
  git("init", "--quiet");
  addPackage("packages/core", { name: "@dt/core", version: "1.0.0" });
  addPackage("apps/site", { name: "site", private: true });
});

afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });

function addPackage(place: string, manifest: object): void {
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, "package.json"), JSON.stringify(manifest));
}

const manifestOf = (place: string): unknown => JSON.parse(readFileSync(join(folder, place, "package.json"), "utf8"));

const run = () => spawnSync(process.execPath, [script], { cwd: folder, encoding: "utf8" });

it.each([
  "https://example.org/team/throttle.git",
  "https://robot:secret@example.org/team/throttle",
  "git@example.org:team/throttle.git",
  "ssh://git@example.org:2222/team/throttle.git",
])("before a release, published packages say where they come from: origin is %s", (origin) => {
  git("remote", "add", "origin", origin);
  expect(run().status).toBe(0);
  expect(manifestOf("packages/core")).toEqual({
    name: "@dt/core",
    version: "1.0.0",
    repository: { type: "git", url: "git+https://example.org/team/throttle.git", directory: "packages/core" },
  });
  expect(manifestOf("apps/site")).toEqual({ name: "site", private: true });
});

it.each([undefined, "/somewhere/on/this/disk", "../beside"])("and nothing is written when origin is %s", (origin) => {
  if (origin !== undefined) git("remote", "add", "origin", origin);
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain("no remote `origin` on a host");
  expect(manifestOf("packages/core")).toEqual({ name: "@dt/core", version: "1.0.0" });
});

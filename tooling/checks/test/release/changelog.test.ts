import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";
import { type Change, entryOf, notesOf, withEntry } from "../../src/release/changelog.ts";
import { publishedPackages } from "../../src/release/published-packages.ts";

const published = ["@a/one", "@a/two"];
const change = (summary: string, ...releases: [string, "major" | "minor" | "patch"][]): Change => ({
  summary,
  releases: releases.map(([name, type]) => ({ name, type })),
});

it("a version is one section: the largest changes first, each with its packages where these are not all", () => {
  const changes = [
    change("A fault is gone.\n", ["@a/two", "patch"]),
    change("An option more.", ["@a/one", "patch"], ["@a/two", "minor"]),
  ];
  expect(entryOf("1.2.3", changes, published)).toBe(
    ["## 1.2.3", "### Minor changes", "An option more.", "### Patch changes", "`@a/two`: A fault is gone."].join(
      "\n\n",
    ),
  );
});

it("the newest version comes first, and each one's notes are found", () => {
  const first = withEntry("", entryOf("0.1.0", [change("First.", ["@a/one", "minor"])], published));
  const second = withEntry(first, entryOf("0.1.1", [change("Next.", ["@a/one", "patch"])], published));
  expect(second.match(/^## .*$/gm)).toEqual(["## 0.1.1", "## 0.1.0"]);
  expect(second.match(/^# .*$/gm)).toEqual(["# Changelog"]);
  expect(notesOf(second, "0.1.0")).toBe("### Minor changes\n\n`@a/one`: First.");
  expect(notesOf(second, "0.1.1")).toBe("### Patch changes\n\n`@a/one`: Next.");
  expect(notesOf(second, "0.1")).toBeUndefined();
});

it("the version of this repository is in its changelog, and all packages have it", () => {
  const packages = publishedPackages();
  expect(packages.length).toBeGreaterThan(15);
  const versions = new Set(packages.map(({ manifest }) => manifest.version));
  expect(versions.size).toBe(1);
  const changelog = readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8");
  expect(notesOf(changelog, [...versions][0] ?? "")).toMatch(/\w/);
});

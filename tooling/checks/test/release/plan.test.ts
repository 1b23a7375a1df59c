import type { WorkspacePackage } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";
import { planOf } from "../../src/release/plan.ts";
import { publishedPackages } from "../../src/release/published-packages.ts";

const entry = (name: string, ...peers: string[]): WorkspacePackage => ({
  folder: name,
  path: name,
  manifest: { name, version: "1.0.0", peerDependencies: Object.fromEntries(peers.map((peer) => [peer, "^1.0.0"])) },
});

it("no package is published before one that it asks for", () => {
  const { plan } = planOf([entry("c", "b", "a"), entry("b", "a", "elsewhere"), entry("a"), entry("d", "a")]);
  expect(plan.map((group) => group.map(({ name }) => name))).toEqual([["a"], ["b", "d"], ["c"]]);
});

it("packages that ask for each other have no order", () => {
  expect(() => planOf([entry("a", "b"), entry("b", "a")])).toThrow("these packages ask for each other: a, b");
});

it("core comes first, alone, and every package is in the plan once", () => {
  const packages = publishedPackages();
  const { plan } = planOf(packages);
  expect(plan[0]?.map(({ name }) => name)).toEqual(["@dt/core"]);
  expect(
    plan
      .flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(packages.map(({ manifest }) => manifest.name).sort());
});

import { type Manifest, workspacePackages } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";

const published = workspacePackages().filter(({ manifest }) => manifest.private !== true);
const names = new Set(published.map(({ manifest }) => manifest.name));
const libraries = published.filter(({ manifest }) => manifest.bin === undefined).map(({ manifest }) => manifest);

/** What a list of a package.json asks of packages of this repository. */
const ours = (list: Readonly<Record<string, string>> = {}): [string, string][] =>
  Object.entries(list).filter(([name]) => names.has(name));

describe("a program has one copy of each package of this repository", () => {
  it("finds the libraries", () => {
    expect(libraries.length).toBeGreaterThan(10);
  });

  it.each(libraries.map((manifest): [string, Manifest] => [manifest.name, manifest]))(
    "%s takes the others as peers",
    (name, { dependencies, peerDependencies, devDependencies }) => {
      expect(ours(dependencies)).toEqual([]);
      const peers = ours(peerDependencies).map(([peer]) => peer);
      expect(ours(peerDependencies)).toEqual(peers.map((peer) => [peer, "workspace:^"]));
      expect(ours(devDependencies)).toEqual(expect.arrayContaining(peers.map((peer) => [peer, "workspace:*"])));
      expect(peers.some((peer) => peer.endsWith("/core"))).toBe(!name.endsWith("/core"));
    },
  );

  it("and a program has them as dependencies, of any version that fits its own", () => {
    const programs = published.filter(({ manifest }) => manifest.bin !== undefined);
    expect(programs).toHaveLength(1);
    for (const { manifest } of programs)
      for (const [, range] of [...ours(manifest.dependencies), ...ours(manifest.peerDependencies)])
        expect(range).toBe("workspace:^");
  });
});

import type { PackedPackage } from "./pack.ts";

/**
 * Each package that takes a peer from some major version on (`>=5`), once more, to be used with the newest of that
 * major version.
 */
export function besideOldestPeers(packages: readonly PackedPackage[]): PackedPackage[] {
  return packages.flatMap((subject) => {
    const oldest = Object.entries(subject.manifest.peerDependencies ?? {}).flatMap(([name, range]) => {
      const major = /^>=(\d+)$/.exec(range)?.[1];
      return major === undefined ? [] : [{ name, major }];
    });
    if (oldest.length === 0) return [];
    const peers = Object.fromEntries(oldest.map(({ name, major }) => [name, `^${major}.0.0`]));
    const peerDependencies = { ...subject.manifest.peerDependencies, ...peers };
    const beside = oldest.map(({ name, major }) => `${name} ${major}`).join(", ");
    return [{ ...subject, manifest: { ...subject.manifest, peerDependencies }, beside }];
  });
}

/** A package's name, and beside which peers. */
export function titleOf({ manifest, beside }: PackedPackage): string {
  return beside === undefined ? manifest.name : `${manifest.name} beside ${beside}`;
}

import type { Manifest, WorkspacePackage } from "@dt-tooling/bootstrap";

/** One package of a plan, as changesets writes and reads it. */
export interface Release {
  readonly kind: "publish";
  readonly name: string;
  readonly version: string;
  readonly access: "public";
  readonly tag: "latest";
}

/** A plan as changesets reads it: groups, each to be published when the one before it is. */
export interface PublishPlan {
  readonly version: 1;
  readonly plan: readonly (readonly Release[])[];
}

/**
 * The plan of a release of everything: no package comes before one that it asks for. What changesets asks the registry,
 * which versions are there already, is not asked.
 */
export function planOf(packages: readonly WorkspacePackage[]): PublishPlan {
  const left = new Map(packages.map(({ manifest }) => [manifest.name, manifest]));
  const plan: Release[][] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter((manifest) => !needs(manifest).some((name) => left.has(name)));
    if (ready.length === 0) throw new Error(`these packages ask for each other: ${[...left.keys()].join(", ")}`);
    for (const { name } of ready) left.delete(name);
    plan.push(ready.map(releaseOf));
  }
  return { version: 1, plan };
}

const needs = ({ name, dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] =>
  Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (needed) => needed !== name && peerDependenciesMeta?.[needed]?.optional !== true,
  );

const releaseOf = ({ name, version = "" }: Manifest): Release => ({
  kind: "publish",
  name,
  version,
  access: "public",
  tag: "latest",
});

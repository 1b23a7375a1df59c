import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The repository's root folder. */
export const repositoryRoot: string = resolve(import.meta.dirname, "../../..");

/** Folders whose folders may hold a workspace package, and one that does itself, as in pnpm-workspace.yaml. */
const FOLDERS_OF_PACKAGES = ["packages", "apps", "tooling", "examples"];
const PACKAGE = "bench";

/** The parts of a package.json that the tools read. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface WorkspacePackage {
  /** Folder relative to the repository's root, with forward slashes. */
  readonly folder: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/**
 * Every package of the workspace, ordered by folder. Without a glob: hundreds of processes that tests start ask this
 * first.
 */
export function workspacePackages(): WorkspacePackage[] {
  return FOLDERS_OF_PACKAGES.flatMap((parent) =>
    readdirSync(join(repositoryRoot, parent)).map((name) => `${parent}/${name}`),
  )
    .concat(PACKAGE)
    .map((folder) => ({ folder, path: join(repositoryRoot, folder) }))
    .filter(({ path }) => existsSync(join(path, "package.json")))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1))
    .map(({ folder, path }) => ({ folder, path, manifest: readManifest(path) }));
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Whether a package has sources yet; a manifest alone is allowed and is then left out of builds and checks. */
export function hasSources(folder: string): boolean {
  return existsSync(join(folder, "src"));
}

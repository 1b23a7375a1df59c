import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The repository's root folder. */
export const repositoryRoot: string = resolve(import.meta.dirname, "../../..");

/** Folders that may hold a workspace package, as in pnpm-workspace.yaml. */
const packageGlobs = ["packages/*", "apps/*", "tooling/*", "bench", "examples/*"];

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
}

export interface WorkspacePackage {
  /** Folder relative to the repository's root, with forward slashes. */
  readonly folder: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/** Every package of the workspace, ordered by folder. */
export function workspacePackages(): WorkspacePackage[] {
  const manifests = globSync(
    packageGlobs.map((glob) => `${glob}/package.json`),
    { cwd: repositoryRoot },
  );
  return manifests
    .map((file) => dirname(file).replaceAll("\\", "/"))
    .sort()
    .map((folder) => ({
      folder,
      path: join(repositoryRoot, folder),
      manifest: readManifest(join(repositoryRoot, folder)),
    }));
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Whether a package has sources yet; a manifest alone is allowed and is then left out of builds and checks. */
export function hasSources(folder: string): boolean {
  return existsSync(join(folder, "src"));
}

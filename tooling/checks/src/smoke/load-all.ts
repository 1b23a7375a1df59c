import { basename } from "node:path";
import { command } from "./command.ts";
import type { Consumers } from "./consumers.ts";
import type { PackedPackage } from "./pack.ts";

const LOAD_TIMEOUT_MS = 120_000;

/** What came of loading a package's modules in one way, as `fixtures/load.mjs` prints it. */
export type LoadedModules =
  | { readonly exports: Readonly<Record<string, readonly string[]>> }
  | { readonly problem: string };

/** A package's modules, imported and required; `required` is missing where the package cannot be. */
export interface LoadedPackage {
  readonly imported: LoadedModules;
  readonly required?: LoadedModules;
}

/** Import names of a package's modules. */
export function modulesOf({ manifest }: PackedPackage): string[] {
  return Object.keys(manifest.exports ?? {})
    .filter((subpath) => subpath !== "./package.json")
    .map((subpath) => manifest.name + subpath.slice(1));
}

/**
 * Loads every module of these packages in one process, each as its consumer finds it.
 * @throws Error when the process does not end by itself, or fails
 */
export async function loadAll(
  node: string,
  packages: readonly PackedPackage[],
  consumers: Consumers,
): Promise<ReadonlyMap<PackedPackage, LoadedPackage>> {
  const projects = packages.map((subject) => ({
    folder: basename(consumers.of(subject).path),
    modules: modulesOf(subject),
    isDual: JSON.stringify(subject.manifest.exports ?? {}).includes('"require"'),
  }));
  const output = await command(node, ["load.mjs", JSON.stringify(projects)], {
    cwd: consumers.path,
    timeoutMs: LOAD_TIMEOUT_MS,
  });
  const loaded = JSON.parse(output) as LoadedPackage[];
  return new Map(packages.map((subject, index) => [subject, loaded[index] as LoadedPackage]));
}

/**
 * A canonical form of what was loaded.
 * @throws Error when something did not load, or exports nothing
 */
export function exportsOf(loaded: LoadedModules): string {
  if ("problem" in loaded) throw new Error(loaded.problem);
  for (const [name, keys] of Object.entries(loaded.exports))
    if (keys.length === 0) throw new Error(`${name} exports nothing`);
  return JSON.stringify(Object.entries(loaded.exports).map(([name, keys]) => [name, [...keys].sort()]));
}

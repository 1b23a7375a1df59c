import { cp, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "./command.ts";
import type { PackedPackage } from "./pack.ts";

const smokeFolder = join(import.meta.dirname, "../..");

/** A project outside the repository that uses one packed package, installed by npm. */
export interface Consumer {
  readonly path: string;
  /** Scripts of `scenarios/<package>/` that were copied in, by file name. */
  readonly scenarios: readonly string[];
  remove(): Promise<void>;
}

/**
 * Makes an empty project and installs the package with its peers. Nothing else gets in, so that a missing dependency shows.
 *
 * @param all the tarballs of the other packages of this repository, for those it depends on.
 */
export async function createConsumer(subject: PackedPackage, all: readonly PackedPackage[]): Promise<Consumer> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "dt-smoke-")));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await writeFile(join(path, "package.json"), JSON.stringify({ name: "consumer", version: "1.0.0", private: true }));
    const wanted = [subject, ...internalDependencies(subject, all)].map(({ tarball }) => tarball);
    const npm = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--loglevel=error"];
    await command("npm", [...npm, ...wanted, ...externalPeers(subject, all)], { cwd: path, timeoutMs: 180_000 });
    await cp(join(smokeFolder, "fixtures"), path, { recursive: true });
    return { path, scenarios: await copyScenarios(subject, path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The packages of this repository that the subject needs, directly and through others. */
export function internalDependencies(subject: PackedPackage, all: readonly PackedPackage[]): PackedPackage[] {
  const found = new Set<PackedPackage>();
  const visit = ({ manifest }: PackedPackage): void => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    for (const dependency of all.filter((other) => names.includes(other.manifest.name))) {
      if (found.has(dependency) || dependency === subject) continue;
      found.add(dependency);
      visit(dependency);
    }
  };
  visit(subject);
  return [...found];
}

function externalPeers(subject: PackedPackage, all: readonly PackedPackage[]): string[] {
  const internal = new Set(all.map(({ manifest }) => manifest.name));
  return Object.entries(subject.manifest.peerDependencies ?? {})
    .filter(([name]) => !internal.has(name))
    .map(([name, range]) => `${name}@${range}`);
}

async function copyScenarios(subject: PackedPackage, path: string): Promise<string[]> {
  const folder = join(smokeFolder, "scenarios", subject.folder.split("/").at(-1) ?? "");
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.map((name) => cp(join(folder, name), join(path, name))));
  return names.filter((name) => /\.[cm]js$/.test(name)).sort();
}

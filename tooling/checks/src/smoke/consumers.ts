import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "./command.ts";
import type { PackedPackage } from "./pack.ts";

const smokeFolder = join(import.meta.dirname, "../..");

/** A project outside the repository that uses one packed package. */
export interface Consumer {
  readonly path: string;
  /** Scripts of `scenarios/<package>/` that were copied in, by file name. */
  readonly scenarios: readonly string[];
}

/** A folder with a consumer of every package. */
export interface Consumers {
  readonly path: string;
  of(subject: PackedPackage): Consumer;
  remove(): Promise<void>;
}

/**
 * Makes a project for each package and installs the package with its peers, all at once. Each package finds what it
 * declares and nothing else, so that a missing dependency shows.
 */
export async function createConsumers(packages: readonly PackedPackage[]): Promise<Consumers> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "dt-smoke-")));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await cp(join(smokeFolder, "fixtures/load.mjs"), join(path, "load.mjs"));
    const consumers = new Map<PackedPackage, Consumer>();
    for (const subject of packages) {
      const folder = join(path, `consumer-${consumers.size}`);
      await mkdir(folder);
      consumers.set(subject, { path: folder, scenarios: await furnish(folder, subject, packages) });
    }
    await install(path, packages);
    return { path, of: (subject) => consumers.get(subject) as Consumer, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Writes what a consumer consists of; returns its scenarios. */
async function furnish(folder: string, subject: PackedPackage, all: readonly PackedPackage[]): Promise<string[]> {
  const tarballs = [subject, ...internalDependencies(subject, all)].map(({ manifest, tarball }) => [
    manifest.name,
    `file:${tarball}`,
  ]);
  const scenarios = join(smokeFolder, "scenarios", subject.folder.split("/").at(-1) ?? "");
  const dependencies = {
    ...Object.fromEntries(tarballs),
    ...externalPeers(subject, all),
    ...(await besides(scenarios, subject)),
  };
  await writeJson(join(folder, "package.json"), { name: "consumer", version: "1.0.0", private: true, dependencies });
  for (const file of ["import.mjs", "require.cjs"]) await cp(join(smokeFolder, "fixtures", file), join(folder, file));
  const names = await readdir(scenarios).catch(() => []);
  for (const name of names) await writeFile(join(folder, name), patient(await readFile(join(scenarios, name), "utf8")));
  return names.filter((name) => /\.[cm]js$/.test(name)).sort();
}

/** What a user has beside the package: listed in `beside.json`, in the version that the package is developed with. */
async function besides(scenarios: string, { manifest }: PackedPackage): Promise<Record<string, string>> {
  const listed = await readFile(join(scenarios, "beside.json"), "utf8").catch(() => "[]");
  const names = JSON.parse(listed) as readonly string[];
  return Object.fromEntries(names.map((name) => [name, manifest.devDependencies?.[name] ?? "*"]));
}

/**
 * A scenario with deadlines that a busy machine meets: that a call is answered within a second is the server's and the
 * machine's affair, and no scenario is about it.
 */
function patient(scenario: string): string {
  return scenario
    .replaceAll(/\b((?:redis|postgres|sqlite|etcd|dynamodb)Store\(\{)/g, '$1 timeout: "50s",')
    .replaceAll(/\b(create(?:Throttle|Pacer)\(\{)/g, '$1 storeTimeout: "50s",');
}

async function install(path: string, packages: readonly PackedPackage[]): Promise<void> {
  await writeJson(join(path, "package.json"), { name: "consumers", private: true });
  await writeJson(join(path, "pnpm-workspace.yaml"), {
    packages: ["consumer-*"],
    overrides: Object.fromEntries(packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`])),
    hoist: false,
    autoInstallPeers: false,
  });
  const pnpm = ["install", "--prefer-offline", "--ignore-scripts", "--no-frozen-lockfile", "--reporter=append-only"];
  await command("pnpm", pnpm, { cwd: path, timeoutMs: 180_000 });
}

/** The packages of this repository that the subject needs, directly and through others. */
export function internalDependencies(subject: PackedPackage, all: readonly PackedPackage[]): PackedPackage[] {
  const found = new Set<PackedPackage>();
  const visit = ({ manifest }: PackedPackage): void => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    for (const dependency of all.filter(({ manifest, beside }) => !beside && names.includes(manifest.name))) {
      if (found.has(dependency) || dependency === subject) continue;
      found.add(dependency);
      visit(dependency);
    }
  };
  visit(subject);
  return [...found];
}

/**
 * Of a range that has no end, what the package is developed with: pnpm would take what other consumers have already.
 */
function externalPeers({ manifest }: PackedPackage, all: readonly PackedPackage[]): Record<string, string> {
  const internal = new Set(all.map(({ manifest: { name } }) => name));
  const peers = Object.entries(manifest.peerDependencies ?? {}).filter(([name]) => !internal.has(name));
  const rangeOf = (name: string, range: string): string =>
    range.startsWith(">=") ? (manifest.devDependencies?.[name] ?? range) : range;
  return Object.fromEntries(peers.map(([name, range]) => [name, rangeOf(name, range)]));
}

/** JSON is YAML, too. */
function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, JSON.stringify(value));
}

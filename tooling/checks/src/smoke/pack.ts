import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasSources, repositoryRoot, type WorkspacePackage, workspacePackages } from "@dt-tooling/bootstrap";
import { command } from "./command.ts";

/** A public package and the tarball that would be published. */
export interface PackedPackage extends WorkspacePackage {
  /** Absolute path of the .tgz file. */
  readonly tarball: string;
  /** The versions of peers that it is used with, where these are not the newest: `"ioredis 5"`. */
  readonly beside?: string;
}

/** Says what lies beside it, once everything does. */
const LIST = "packed.json";

/** What was packed into a folder; undefined as long as not everything is there. */
export function packedIn(folder: string): PackedPackage[] | undefined {
  const list = join(folder, LIST);
  return existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as PackedPackage[]) : undefined;
}

/**
 * Packs every public package that has sources, as built now.
 *
 * @param folder an existing folder for the tarballs.
 * @throws Error when there is none, or one cannot be packed.
 */
export async function packPublicPackages(folder: string): Promise<PackedPackage[]> {
  const found = workspacePackages().filter(({ path, manifest }) => manifest.private !== true && hasSources(path));
  if (found.length === 0) throw new Error("There is no public package to pack.");
  const filters = found.map(({ manifest }) => `--filter=${manifest.name}`);
  const output = await command("pnpm", ["--recursive", ...filters, "pack", "--json", "--pack-destination", folder], {
    cwd: repositoryRoot,
    timeoutMs: 180_000,
  });
  // What scripts of the packages say comes first.
  const packed = JSON.parse(output.slice(output.search(/^\[/m))) as { name: string; filename: string }[];
  const all = found.map((entry) => {
    const made = packed.find(({ name }) => name === entry.manifest.name);
    if (made === undefined) throw new Error(`pnpm made no tarball of ${entry.manifest.name}`);
    return { ...entry, tarball: join(folder, basename(made.filename)) };
  });
  await writeFile(join(folder, LIST), JSON.stringify(all));
  return all;
}

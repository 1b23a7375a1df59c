import { join } from "node:path";
import { hasSources, type WorkspacePackage, workspacePackages } from "@dt-tooling/bootstrap";
import { command } from "./command.ts";

/** A public package and the tarball that would be published. */
export interface PackedPackage extends WorkspacePackage {
  /** Absolute path of the .tgz file. */
  readonly tarball: string;
}

/**
 * Packs every public package that has sources, as built now.
 *
 * @param folder an existing folder for the tarballs.
 * @throws Error when there is none, or one cannot be packed.
 */
export async function packPublicPackages(folder: string): Promise<PackedPackage[]> {
  const packed: PackedPackage[] = [];
  for (const entry of workspacePackages()) {
    if (entry.manifest.private === true || !hasSources(entry.path)) continue;
    const output = await command("pnpm", ["pack", "--json", "--pack-destination", folder], {
      cwd: entry.path,
      timeoutMs: 60_000,
    });
    // What a script of the package says comes first.
    const { filename } = JSON.parse(output.slice(output.search(/^\{/m))) as { filename: string };
    packed.push({ ...entry, tarball: join(folder, filename.split("/").at(-1) ?? filename) });
  }
  if (packed.length === 0) throw new Error("There is no public package to pack.");
  return packed;
}

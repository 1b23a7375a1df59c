import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "@dt-tooling/bootstrap";
import type { PackedPackage } from "../../src/smoke/pack.ts";

const folders: string[] = [];

/** Packs a small package with npm. */
export function pack(manifest: Manifest, files: Readonly<Record<string, string>>): PackedPackage {
  const path = mkdtempSync(join(tmpdir(), "dt-packed-"));
  folders.push(path);
  for (const [name, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  const output = execFileSync("npm", ["pack", "--json"], { cwd: path, encoding: "utf8", stdio: "pipe" });
  const name = /"filename":\s*"([^"]+)"/.exec(output)?.[1];
  if (name === undefined) throw new Error(`npm pack said ${output}`);
  return { folder: "packages/example", path, manifest, tarball: join(path, name) };
}

/** Removes what `pack` made. */
export function removePacked(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type PackedPackage, packedIn, packPublicPackages } from "../../src/smoke/pack.ts";

const root = join(import.meta.dirname, "../../../..");

/**
 * The packages as they would be published: those that `npm test` has packed. Elsewhere everything is built (cached) and
 * packed into the folder.
 */
export async function publishedPackages(folder: string): Promise<readonly PackedPackage[]> {
  const { DT_TARBALLS: packed } = process.env;
  const ready = (packed && packedIn(packed)) || [];
  if (ready.length > 0) return ready;
  const build = spawnSync(
    "turbo",
    ["run", "build", "--filter=./packages/*", "--filter=@dt/cli", "--output-logs=errors-only", "--ui=stream"],
    { cwd: root, encoding: "utf8" },
  );
  if (build.status !== 0) throw new Error(`the build failed: ${build.stdout}${build.stderr}`);
  return packPublicPackages(folder);
}

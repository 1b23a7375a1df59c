import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { PackedPackage } from "../smoke/index.ts";

/** Sizes in bytes. */
export interface Sizes {
  /** Of what a program has of the packages: bundled, minified and gzipped; by what it imports. */
  readonly bundled: Readonly<Record<string, number>>;
  /** Of each package as npm sends it: its tarball. */
  readonly packed: Readonly<Record<string, number>>;
}

/** Programs whose sizes are measured, by their text. What is not of this repository stays outside. */
const PROGRAMS = [
  'export { createThrottle } from "@dt/core"',
  'export { createPacer } from "@dt/core"',
  'export { createSemaphore } from "@dt/core"',
  'export * from "@dt/core"',
  'export { createThrottle } from "@dt/core"; export { redisStore } from "@dt/redis"',
] as const;

export async function measureSizes(packages: readonly PackedPackage[]): Promise<Sizes> {
  const folder = mkdtempSync(join(tmpdir(), "dt-sizes-"));
  try {
    for (const { manifest, tarball } of packages) {
      const path = join(folder, "node_modules", manifest.name);
      mkdirSync(path, { recursive: true });
      execFileSync("tar", ["-xzf", tarball, "-C", path, "--strip-components=1"]);
    }
    const bundled: Record<string, number> = {};
    for (const program of PROGRAMS) bundled[program] = await bundledSize(program, folder);
    const packed = packages.map(({ manifest, tarball }) => [manifest.name, statSync(tarball).size] as const);
    return { bundled, packed: Object.fromEntries([...packed].sort()) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bundledSize(program: string, folder: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["ioredis"],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`no bundle was made of ${program}`);
  return gzipSync(file.contents, { level: 9 }).length;
}

import type { Manifest } from "./workspace.ts";

export interface Entries {
  /** Output name (relative to dist, without extension) -> source file (relative to the package). */
  readonly entry: Record<string, string>;
  readonly formats: ("esm" | "cjs")[];
}

/**
 * Derives what to build from `exports` and `bin`: `dist/<name>.js` comes from `src/<name>.ts`.
 * CommonJS is built when an export has a `require` condition that names a `.cjs` file.
 *
 * @throws Error when nothing points into `./dist`.
 */
export function entriesOf(manifest: Manifest): Entries {
  const targets = leaves({ exports: manifest.exports, bin: manifest.bin });
  const names = targets.map(builtName).filter((name) => name !== undefined);
  if (names.length === 0) throw new Error(`${manifest.name}: no export or bin in package.json points into ./dist`);
  return {
    entry: Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
    formats: targets.some((target) => target.endsWith(".cjs")) ? ["esm", "cjs"] : ["esm"],
  };
}

/**
 * Import name -> source file (relative to the package) of every export, for tools that run from the sources.
 */
export function sourcesOf(manifest: Manifest): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const [subpath, conditions] of Object.entries(manifest.exports ?? {})) {
    const target = leaves(conditions).find((leaf) => leaf.startsWith("./dist/") || leaf.startsWith("./src/"));
    if (target === undefined) continue;
    const name = builtName(target);
    sources.set(manifest.name + subpath.slice(1), name === undefined ? target.slice(2) : `src/${name}.ts`);
  }
  return sources;
}

function builtName(target: string): string | undefined {
  return /^(?:\.\/)?dist\/(.+?)(?:\.d)?\.[cm]?[jt]s$/.exec(target)?.[1];
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return [];
}

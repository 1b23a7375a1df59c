/**
 * The one build of every package: `node ../../tooling/bootstrap/src/build.ts`, run in the package's folder.
 * Entries and formats follow from the package's own `exports` and `bin`, so these cannot disagree with the build.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { type Entries, entriesOf } from "./entries.ts";
import { hasSources, readManifest } from "./workspace.ts";

const folder = process.cwd();
const dist = join(folder, "dist");
const manifest = readManifest(folder);

if (hasSources(folder)) {
  const entries = entriesOf(manifest);
  await rm(dist, { recursive: true, force: true });
  await buildScripts(entries);
  if (manifest.exports !== undefined) await buildDeclarations(entries);
} else {
  process.stdout.write(`${manifest.name} has no sources yet\n`);
}

/** Entries share chunks, also in CommonJS: two entry points of one package must not carry two copies of a class. */
async function buildScripts({ entry, formats }: Entries): Promise<void> {
  const output = (format: "esm" | "cjs"): OutputOptions => {
    const extension = format === "esm" ? "js" : "cjs";
    return {
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name]-[hash].${extension}`,
      exports: "named",
      sourcemap: true,
      // What the sources say is in the source map; what editors show is in the declarations.
      comments: { legal: true, annotation: true, jsdoc: false },
    };
  };
  const input = {
    input: entry,
    platform: "node",
    moduleTypes: { ".lua": "text", ".sql": "text" },
    transform: { target: "node20.19" },
  } as const;
  await bundle(input, formats.map(output));
}

/**
 * The declarations of a file follow from the file alone: what is exported has its types written out, and nothing waits for a type checker. Those of
 * CommonJS differ by their names.
 */
async function buildDeclarations({ entry, formats }: Entries): Promise<void> {
  const nameOf = (source: string | null): string | undefined =>
    Object.keys(entry).find(
      (name) => source !== null && join(folder, entry[name] as string) === source.replace(/\.d\.ts$/, ".ts"),
    );
  const output = (format: "esm" | "cjs"): OutputOptions => {
    const extension = format === "esm" ? "ts" : "cts";
    return {
      format: "esm",
      entryFileNames: ({ name, facadeModuleId }) =>
        name.endsWith(".d") ? `${nameOf(facadeModuleId)}.d.${extension}` : "[name].js",
      chunkFileNames: `[name]-[hash].${format === "esm" ? "js" : "cjs"}`,
    };
  };
  const plugin = dts({ generator: "oxc", tsconfig: false, emitDtsOnly: true });
  await bundle({ input: entry, plugins: [plugin] }, formats.map(output));
}

/** @throws Error for what the bundler only warns of, such as a file that is not there. */
async function bundle(input: InputOptions, outputs: readonly OutputOptions[]): Promise<void> {
  const build = await rolldown({
    ...input,
    cwd: folder,
    // Packages stay imports.
    external: /^[^./]/,
    onLog: (level, { message }) => {
      if (level === "warn") throw new Error(`${manifest.name}: ${message}`);
    },
  });
  try {
    for (const output of outputs) await build.write({ ...output, dir: dist });
  } finally {
    await build.close();
  }
}

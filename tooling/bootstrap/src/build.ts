/**
 * The one build of every package: `node ../../tooling/bootstrap/src/build.ts`, run in the package's folder.
 * Entries and formats follow from the package's own `exports` and `bin`, so these cannot disagree with the build.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { build } from "tsup";
import { type Entries, entriesOf } from "./entries.ts";
import { bundlePage } from "./page.ts";
import { scriptWithoutComments } from "./script-without-comments.ts";
import { TEXT_FILE, textOf } from "./text-files.ts";
import { hasSources, readManifest } from "./workspace.ts";

const folder = process.cwd();
const dist = join(folder, "dist");
const manifest = readManifest(folder);

if (hasSources(folder)) {
  const entries = entriesOf(manifest);
  await buildScripts(entries);
  forgetThisMachine();
  await buildPages();
  if (manifest.exports !== undefined) await buildDeclarations(entries);
} else {
  process.stdout.write(`${manifest.name} has no sources yet\n`);
}

async function buildScripts({ entry, formats }: Entries): Promise<void> {
  await build({
    config: false,
    silent: true,
    entry,
    format: formats,
    platform: "node",
    target: "node20.19",
    esbuildPlugins: [withoutComments()],
    // The sources are published once, beside what is made of them twice.
    esbuildOptions: (options) => {
      options.sourcesContent = false;
    },
    // Shared chunks, also in CommonJS: two entry points of one package must not carry two copies of a class.
    splitting: true,
    // Core marks what it makes with it.
    define: { PACKAGE_VERSION: JSON.stringify(manifest.version ?? "0.0.0") },
    // `node:sqlite` exists under that name only.
    removeNodeProtocol: false,
    dts: false,
    tsconfig: "tsconfig.json",
    // A program has code of ours in it whose sources are not published: a map would lead nowhere.
    sourcemap: manifest.exports !== undefined,
    clean: true,
  });
}

/**
 * The maps of CommonJS name the file that they are of by its path on this machine, also as a source: of what was put
 * around the code.
 */
function forgetThisMachine(): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".cjs.map")) continue;
    const path = join(dist, name);
    const map = JSON.parse(readFileSync(path, "utf8")) as { sources: string[] };
    const own = path.slice(0, -".map".length);
    const sources = map.sources.map((source) => (source === own ? basename(own) : source));
    writeFileSync(path, JSON.stringify({ ...map, sources, file: basename(own) }));
  }
}

/** `dist/console/` is the page whose sources are in `src/console/page/`. */
async function buildPages(): Promise<void> {
  for (const page of globSync("src/*/page/index.html", { cwd: folder }).map(dirname)) {
    const output = join(dist, basename(dirname(page)));
    mkdirSync(output, { recursive: true });
    for (const [name, contents] of await bundlePage(join(folder, page))) writeFileSync(join(output, name), contents);
  }
}

function withoutComments(): Plugin {
  return {
    name: "dt:without-comments",
    setup: ({ onLoad }) => {
      onLoad({ filter: TEXT_FILE }, ({ path }) => ({ contents: textOf(path), loader: "text" }));
      onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
        contents: scriptWithoutComments(path, await readFile(path, "utf8")),
        loader: "ts",
      }));
    },
  };
}

/**
 * The declarations of a file follow from the file alone: what is exported has its types written out, and nothing waits
 * for a type checker. Those of CommonJS differ by their names.
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
  // No `import "x"` for a package of which no type is left: a compiler would read its types, which may not suit it.
  const treeshake = { moduleSideEffects: "no-external" } as const;
  await bundle({ input: entry, plugins: [plugin], treeshake }, formats.map(output));
}

/** @throws Error for what the bundler only warns of, such as a file that is not there. */
async function bundle(input: InputOptions, outputs: readonly OutputOptions[]): Promise<void> {
  const bundled = await rolldown({
    ...input,
    cwd: folder,
    // Packages stay imports; what the compiler puts in for a language feature that the oldest Node does not have is
    // brought along.
    external: /^(?!@oxc-project\/)[@\w]/,
    // How long a plugin took says something about the machine, and nothing about what was built.
    checks: { bundlerTimings: false },
    onLog: (level, { message }) => {
      if (level === "warn") throw new Error(`${manifest.name}: ${message}`);
    },
  });
  try {
    for (const output of outputs) await bundled.write({ ...output, dir: dist });
  } finally {
    await bundled.close();
  }
}

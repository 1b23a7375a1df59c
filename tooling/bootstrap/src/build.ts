/**
 * The one build of every package: `node ../../tooling/bootstrap/src/build.ts`, run in the package's folder.
 * Entries and formats follow from the package's own `exports` and `bin`, so these cannot disagree with the build.
 */
import { join } from "node:path";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { build } from "tsup";
import { type Entries, entriesOf } from "./entries.ts";
import { hasSources, readManifest } from "./workspace.ts";

const folder = process.cwd();
const dist = join(folder, "dist");
const manifest = readManifest(folder);

if (hasSources(folder)) {
  const entries = entriesOf(manifest);
  await buildScripts(entries);
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
    loader: { ".lua": "text", ".sql": "text" },
    // Shared chunks, also in CommonJS: two entry points of one package must not carry two copies of a class.
    splitting: true,
    // `node:sqlite` exists under that name only.
    removeNodeProtocol: false,
    dts: false,
    tsconfig: "tsconfig.json",
    sourcemap: true,
    clean: true,
  });
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
  await bundle({ input: entry, plugins: [plugin] }, formats.map(output));
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

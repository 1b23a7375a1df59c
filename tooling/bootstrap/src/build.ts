/**
 * The one build of every package: `node ../../tooling/bootstrap/src/build.ts`, run in the package's folder.
 * Entries and formats follow from the package's own `exports` and `bin`, so these cannot disagree with the build.
 */
import { build } from "tsup";
import { entriesOf } from "./entries.ts";
import { hasSources, readManifest } from "./workspace.ts";

const folder = process.cwd();
const manifest = readManifest(folder);

if (hasSources(folder)) {
  const { entry, formats } = entriesOf(manifest);
  await build({
    config: false,
    entry,
    format: formats,
    platform: "node",
    target: "node20.19",
    loader: { ".lua": "text", ".sql": "text" },
    // Shared chunks, also in CommonJS: two entry points of one package must not carry two copies of a class.
    splitting: true,
    // `node:sqlite` exists under that name only.
    removeNodeProtocol: false,
    // The build reads other packages' declarations from their dist; only type checks and tests go to their sources.
    dts: manifest.exports === undefined ? false : { compilerOptions: { paths: {} } },
    tsconfig: "tsconfig.json",
    sourcemap: true,
    clean: true,
  });
} else {
  process.stdout.write(`${manifest.name} has no sources yet\n`);
}

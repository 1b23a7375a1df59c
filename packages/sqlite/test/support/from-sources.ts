import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sourcesOf, workspacePackages } from "@dt-tooling/build-config";

/** Lets plain Node run the packages' sources without a build (`node --import`), as the test runner does by its configuration. */
const sources = new Map(
  workspacePackages()
    .filter(({ folder }) => folder.startsWith("packages/"))
    .flatMap(({ path, manifest }) =>
      [...sourcesOf(manifest)].map(([name, source]) => [name, pathToFileURL(join(path, source)).href] as const),
    ),
);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = sources.get(specifier);
    return url === undefined ? nextResolve(specifier, context) : { url, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (!url.endsWith(".sql")) return nextLoad(url, context);
    const source = `export default ${JSON.stringify(readFileSync(new URL(url), "utf8"))};`;
    return { format: "module", source, shortCircuit: true };
  },
});

/**
 * `node --import <this file> script.ts`: plain Node runs the workspace's sources without a build, as the test runner
 * does by its configuration. For tests that start real processes. Lua and SQL files are modules with their text. Needs
 * Node 22.15 or newer.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sourcesOf } from "./entries.ts";
import { TEXT_FILE, textOf } from "./text-files.ts";
import { workspacePackages } from "./workspace.ts";

const sources = new Map(
  workspacePackages().flatMap(({ path, manifest }) =>
    [...sourcesOf(manifest)].map(([name, source]) => [name, pathToFileURL(join(path, source)).href] as const),
  ),
);

/**
 * What lies beside a source is a source, where it says. Node would look for links and package.json files on the way to
 * each: half the time of a start.
 */
const besideASource = /^\.\.?\/.*\.ts$/;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const source = sources.get(specifier);
    const url =
      source === undefined && context.parentURL?.endsWith(".ts") && besideASource.test(specifier)
        ? new URL(specifier, context.parentURL).href
        : source;
    return url === undefined
      ? nextResolve(specifier, context)
      : { url, format: "module-typescript", shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (!TEXT_FILE.test(url)) return nextLoad(url, context);
    const source = `export default ${JSON.stringify(textOf(new URL(url)))};`;
    return { format: "module", source, shortCircuit: true };
  },
});

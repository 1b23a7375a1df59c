import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Lets Node run the packages' sources without a build (`node --import`): what the test runner does by its configuration. SQL files are
 * modules with their text, and @dt/core is its sources.
 */
const core = new URL("../../../core/src/", import.meta.url);
const sources = new Map([
  ["@dt/core", new URL("index.ts", core).href],
  ["@dt/core/ledger", new URL("ledger/index.ts", core).href],
]);

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

/**
 * Lets Node run this repository's sources: `node --import <this file> main.ts`. Packages import each other by name, which means their sources
 * here, and Lua and SQL files are their text. So a run tests exactly what is in the checkout, and needs nothing built.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const packages = new URL("../../../../packages/", import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [, name, subpath] = /^@dt\/([\w-]+)(\/.+)?$/.exec(specifier) ?? [];
    return next(
      name === undefined ? specifier : new URL(`${name}/src${subpath ?? ""}/index.ts`, packages).href,
      context,
    );
  },
  load(url, context, next) {
    if (!/\.(?:lua|sql)$/.test(url)) return next(url, context);
    const source = `export default ${JSON.stringify(readFileSync(fileURLToPath(url), "utf8"))};`;
    return { format: "module", shortCircuit: true, source };
  },
});

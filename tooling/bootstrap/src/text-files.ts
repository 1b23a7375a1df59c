import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { luaWithoutComments } from "./lua-without-comments.ts";

/** Names of files that are imported as their text. */
export const TEXT_FILE = /\.(?:lua|sql)$/;

/**
 * What an import of a Lua or SQL file gives: its text. Lua comes without comments. SQL has them: an administrator reads
 * it before it is run, and finds it in the database afterwards.
 */
export function textOf(path: string | URL): string {
  const text = readFileSync(path, "utf8");
  return String(path).endsWith(".lua") ? luaWithoutComments(text) : text;
}

/** Makes `import script from "./x.lua"` (or `.sql`) the file's text, as the build does. */
export function textFiles(): Plugin {
  return {
    name: "dt:text-files",
    enforce: "pre",
    load(id) {
      return TEXT_FILE.test(id) ? `export default ${JSON.stringify(textOf(id))};` : undefined;
    },
  };
}

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** Makes `import script from "./x.lua"` (or `.sql`) the file's text, as the build does. */
export function textFiles(): Plugin {
  return {
    name: "dt:text-files",
    enforce: "pre",
    load(id) {
      if (!/\.(?:lua|sql)$/.test(id)) return undefined;
      return `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;
    },
  };
}

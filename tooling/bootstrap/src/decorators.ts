import { transform } from "esbuild";
import type { Plugin } from "vite";

/** A line that starts with `@name`; a comment's `* @returns` does not. */
const decorator = /^\s*@[A-Za-z_$]/m;

/**
 * Compiles files that use ECMAScript decorators with esbuild. Vite's own compiler (oxc) leaves them as they are, and no
 * Node runs them yet.
 */
export function decorators(): Plugin {
  return {
    name: "dt:decorators",
    enforce: "pre",
    async transform(code, id) {
      if (!/\.[cm]?ts$/.test(id) || !decorator.test(code)) return undefined;
      const result = await transform(code, { loader: "ts", target: "es2022", sourcefile: id, sourcemap: true });
      return { code: result.code, map: result.map };
    },
  };
}

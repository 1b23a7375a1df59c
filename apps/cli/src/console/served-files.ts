import { extname } from "node:path";
import { packageName } from "@dt/core/internal";
import { Failure } from "../exit-code.ts";

/** A file of the page, as it is served. */
export interface ServedFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The files of the page by their paths, such as `/page.js`; the page itself is `/`. */
export type ServedFiles = ReadonlyMap<string, ServedFile>;

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
]);

/**
 * The files that are served. What is not among them is not, whatever a path looks like: no path of a request ever
 * reaches the file system.
 * @param files by name; `index.html` is the page
 * @throws Failure where the page is not among them
 */
export function servedFiles(files: ReadonlyMap<string, Uint8Array>): ServedFiles {
  const served = new Map<string, ServedFile>();
  for (const [name, bytes] of files) {
    const type = TYPES.get(extname(name));
    if (type !== undefined) served.set(name === "index.html" ? "/" : `/${name}`, { type, bytes });
  }
  if (served.has("/")) return served;
  throw new Failure(
    `the page of the console is missing; install ${packageName("cli")} again, or build it with npm run build`,
  );
}

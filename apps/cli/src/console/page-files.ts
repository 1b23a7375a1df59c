import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Put in by the build; the sources have none. */
declare const PACKAGE_VERSION: string | undefined;

/**
 * The files of the page by name, such as `index.html` and `page.js`: those beside the built program, or, where the
 * sources run, made of the page's sources now.
 */
export async function pageFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  if (typeof PACKAGE_VERSION === "string") return filesIn(join(import.meta.dirname, "console"));
  const { bundlePage } = await import("@dt-tooling/bootstrap/page");
  return bundlePage(join(import.meta.dirname, "page"));
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, new Uint8Array(await readFile(join(folder, name)))] as const)),
  );
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version of a package that this one depends on. Read from its folder, since `exports` may hide the manifest. */
export function packageVersion(name: string): string {
  const file = join(import.meta.dirname, "../node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}

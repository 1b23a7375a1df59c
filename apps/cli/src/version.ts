import { readFileSync } from "node:fs";

/** The version of `@dt/cli`. The manifest is one folder up from the sources and from what is built. */
export function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return manifest.version;
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commands } from "../commands.mjs";

const FROM_SOURCES = new URL("../src/from-sources.ts", import.meta.url).href;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Refuses what a build made, as if nothing had been built yet. */
const NOTHING_BUILT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (found.url.includes("/dist/") && !found.url.includes("/.pnpm/")) throw new Error(found.url + " is built");
      return found;
    },
  });
`)}`;

it.each<[keyof typeof commands, string[]]>([
  ["model", ["--help"]],
  ["soak", ["--seeds", "1"]],
  ["permits", ["--help"]],
  ["chaos", ["--help"]],
  ["semaphore", ["search", "--seeds", "1"]],
  ["shares", ["--members", "2", "--demand", "one-busy", "--seconds", "1"]],
])("npm run %s, which builds nothing, runs from the sources alone", (name, args) => {
  const command = commands[name] as (typeof commands)[string];
  expect(command).toMatchObject({ build: undefined, sources: true });
  const loading = ["--import", FROM_SOURCES, "--import", NOTHING_BUILT];
  const { status, stderr } = spawnSync(process.execPath, [...loading, command.file, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining("is built") });
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { decorators, sourcesOf, textFiles, workspacePackages } from "@dt-tooling/build-config";
import { defineConfig } from "vitest/config";

const packages = workspacePackages();

/** Packages import each other by name; in tests that is the source, so nothing has to be built first. */
const alias = packages.flatMap(({ path, manifest }) =>
  [...sourcesOf(manifest)].map(([name, source]) => ({
    find: new RegExp(`^${name}$`),
    replacement: join(path, source),
  })),
);

export default defineConfig({
  plugins: [textFiles(), decorators()],
  resolve: { alias },
  test: {
    // Integration tests start real servers; two files at a time is what a two-core machine carries.
    maxWorkers: 2,
    // Against hangs only: nothing is timed by it, and a busy machine may be slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: packages
      .filter(({ path }) => existsSync(join(path, "test")))
      .map(({ path, manifest }) => ({
        extends: true,
        root: path,
        test: { name: manifest.name, include: ["test/**/*.test.ts"] },
      })),
  },
});

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the proof is about: the checkers, what they stand on, and the tests that prove them. */
const CHECKERS = [
  "packages/conformance/src/**/*.ts",
  "tooling/{backends,model,simulator}/src/**/*.ts",
  "tooling/checks/src/{conformance,proof}/**/*.ts",
  "{packages,tooling,apps,bench,examples}/**/test/**/*.proof.ts",
  "{packages,examples}/*/test/support/**/*.ts",
  "tooling/checks/test/**/{guide,stranger}.ts",
  "docs/writing-a-store.md",
  "vitest.proof.config.ts",
];

/** The files of the checkers, by their paths in the repository, in a fixed order. */
export function checkerFiles(root: string): string[] {
  return globSync(CHECKERS, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(String(path)) })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

/** Changes with every change of a checker: of a text, of a name, of their number. */
export function checkersHash(root: string): string {
  const hash = createHash("sha256");
  for (const path of checkerFiles(root)) {
    const text = readFileSync(join(root, path));
    hash.update(`${path}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex");
}

import { afterEach, expect, it } from "vitest";
import { releaseProblems } from "../../src/release/tarball.ts";
import { pack, removePacked } from "../smoke/packed.ts";

afterEach(removePacked);

const sound = {
  name: "example",
  version: "1.0.0",
  repository: { type: "git", url: "git+https://example.org/team/limits.git", directory: "packages/example" },
  peerDependencies: { "@a/core": "^1.0.0" },
};
const files = { LICENSE: "MIT", "README.md": "# Example", "index.js": "" };

const problems = (
  manifest: typeof sound | Omit<typeof sound, "repository">,
  content: Record<string, string>,
): string[] => releaseProblems(pack(manifest, content).tarball, "example", "1.0.0");

it("a tarball with its licence, page, version and sources may be published", () => {
  expect(problems(sound, files)).toEqual([]);
});

it("a tarball without them, or with a range of the workspace, may not", () => {
  const { repository: _, ...nowhere } = sound;
  expect(
    problems({ ...nowhere, version: "1.0.1", peerDependencies: { "@a/core": "workspace:^" } }, { "index.js": "" }),
  ).toEqual([
    "the tarball has no LICENSE",
    "the tarball has no README.md",
    "its version is 1.0.1, not 1.0.0",
    "package.json does not have where its sources are: `repository` is missing",
    "it asks for @a/core as workspace:^, which npm does not know",
  ]);
});

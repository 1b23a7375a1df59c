import { expect, it } from "vitest";
import { problemsOf, type State } from "../../src/release/preflight.ts";

const ready: State = {
  changedFiles: "",
  pendingChanges: [],
  versions: { "@a/one": "0.2.0", "@a/two": "0.2.0" },
  changelog: "0.2.0",
  tags: ["v0.1.0", ""],
  origin: "https://example.org/team/limits.git",
};

const problems = (change: Partial<State>): string[] =>
  problemsOf({ ...ready, ...change }, (changelog, version) => changelog.includes(version));

it("nothing is wrong with a clean clone of a version that is not released", () => {
  expect(problems({})).toEqual([]);
  expect(problems({ origin: "git@example.org:team/limits.git" })).toEqual([]);
});

it.each<[string, Partial<State>, RegExp]>([
  [
    "a changed file",
    { changedFiles: " M README.md\n" },
    /not committed \(M README\.md\): commit them, or release from a clean/,
  ],
  ["many changed files", { changedFiles: "?? a\n?? b\n?? c\n?? d\n" }, /\(\?\? a, \?\? b, \?\? c and 1 more\)/],
  [
    "a described change",
    { pendingChanges: ["new-thing.md"] },
    /\.changeset\/new-thing\.md\): run "npm run -s version-pack/,
  ],
  ["two versions", { versions: { one: "0.1.0", two: "0.2.0" } }, /several versions \(0\.1\.0, 0\.2\.0\)/],
  ["no notes", { changelog: "" }, /no section "## 0\.2\.0": "npm run -s version-packages" writes it/],
  [
    "a version that is released",
    { tags: ["v0.2.0"] },
    /0\.2\.0 is released: it has the tag v0\.2\.0; describe a change/,
  ],
  ["no origin", { origin: "" }, /`origin` is "", which is on no host: clone the public repository/],
  ["an origin that is a folder", { origin: "/home/ann/limits" }, /"\/home\/ann\/limits", which is on no host/],
])("nothing is released with %s, and the remedy is named", (_, change, message) => {
  expect(problems(change)).toEqual([expect.stringMatching(message)]);
});

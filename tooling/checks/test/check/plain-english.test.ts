import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";
import { entriesOf, publicNamesOf } from "../../src/check/doc-comments/public-api.ts";
import { messagesIn, partsOfMessage } from "../../src/check/plain-english/messages.ts";
import { type Prose, proseOfDocComment, proseOfMarkdown } from "../../src/check/plain-english/prose.ts";
import { cellFaultsOf, faultsOf } from "../../src/check/plain-english/rules.ts";

/** Entries for our own packages. */
const OURS: ReadonlySet<string> = new Set(["./internal", "./ledger", "./testing"]);

const filesIn = (...patterns: string[]): string[] =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: repositoryRoot, encoding: "utf8" })
    .split("\n")
    .filter((file) => file !== "");

const textOf = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");

const faultsOfProse = ({ texts, cells }: Prose): string[] => [
  ...texts.flatMap(faultsOf),
  ...cells.flatMap(cellFaultsOf),
];

/** What breaks a rule in the doc comments of public names, by file. */
function faultsOfDocs(): Map<string, string[]> {
  const faults = new Map<string, string[]>();
  const folders = filesIn("packages/*/package.json").map((file) => file.slice(0, -"/package.json".length));
  const names = folders.flatMap((folder) => entriesOf(folder, OURS)).flatMap(publicNamesOf);
  const declarations = new Map(
    names.flatMap((name) => name.declarations).map((one) => [`${one.module.file}:${one.start}`, one]),
  );
  for (const { doc, module, node } of declarations.values()) {
    const docs = [...(doc === undefined ? [] : [doc]), ...module.docsWithin(node.start, node.end)];
    const found = docs.map(proseOfDocComment).flatMap(faultsOfProse);
    faults.set(module.file, [...(faults.get(module.file) ?? []), ...found]);
  }
  return faults;
}

function faultsOfFiles(files: readonly string[], faultsOfOne: (file: string) => string[]): Map<string, string[]> {
  return new Map(files.map((file) => [file, faultsOfOne(file)]));
}

const kinds = {
  READMEs: faultsOfFiles(filesIn("README.md", "*/README.md"), (file) => faultsOfProse(proseOfMarkdown(textOf(file)))),
  pages: faultsOfFiles(filesIn("docs/*.md", ".github/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"), (file) =>
    faultsOfProse(proseOfMarkdown(textOf(file))),
  ),
  "doc comments": faultsOfDocs(),
  messages: faultsOfFiles(filesIn("packages/*/src/*.ts", "apps/*/src/*.ts"), (file) =>
    messagesIn(file, textOf(file)).flatMap(partsOfMessage).flatMap(faultsOf),
  ),
};

describe.each(Object.entries(kinds))("plain English in %s", (_kind, faults) => {
  it("looks at files", () => {
    expect(faults.size).toBeGreaterThan(10);
  });

  it("everywhere", () => {
    expect([...faults].flatMap(([file, found]) => found.map((fault) => `${file}: ${fault}`))).toEqual([]);
  });
});

describe("the rules of plain English", () => {
  it.each([
    ["Whoever calls it waits.", '"Whoever", where'],
    ["The store waits for everybody.", '"everybody", where'],
    ["It does what it promises.", '"what it", where'],
    ["The server says how long.", '"says", where'],
    ["It was told to stop.", '"told", where'],
    [`The ${"very ".repeat(29)}long sentence ends.`, "a sentence of 33 words"],
  ])("refuse: %s", (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
  });

  it("count sentences by themselves, and a cell as a whole", () => {
    const half = "word ".repeat(16).trim();
    expect(faultsOf(`${half}. The ${half}.`)).toEqual([]);
    expect(cellFaultsOf(`${half}. The ${half}.`)).toEqual([expect.stringContaining("a cell of 33 words")]);
  });

  it("leave code, addresses and comments alone", () => {
    const page =
      "# Title\n\nUses `whoever` and\n[a page](https://example.org/somebody).\n\n```js\n// nobody\n```\n<!-- everybody -->\n";
    expect(proseOfMarkdown(page)).toEqual({ texts: ["Title", "Uses `code` and a page."], cells: [] });
  });

  it("take each item, cell and tag as a text of its own", () => {
    const page = "A list:\n- one\n  and more\n2. two\n\n| a | b |\n|---|---|\n| c \\| d | e |\n";
    expect(proseOfMarkdown(page)).toEqual({
      texts: ["A list:", "one and more", "two"],
      cells: ["a", "b", "c \\| d", "e"],
    });
    const doc = "Stops it.\n@param now the {@link Time | time}\n@throws DtError `X`\n@example\nstop(1); // somebody\n";
    expect(proseOfDocComment(doc).texts).toEqual(["Stops it.", "the `code`", "DtError `code`"]);
  });

  it("read messages, not names", () => {
    const value = `\${a}`;
    const code = `fail(\`the value of ${value} is wrong; give another\`, "DT_STOPPED", "SELECT x", "one two three four");`;
    expect(messagesIn("a.ts", code)).toEqual(["the value of `value` is wrong; give another", "one two three four"]);
    expect(partsOfMessage("it is wrong; give another")).toEqual(["it is wrong", "give another"]);
  });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHANNEL_PREFIX, SCOPE } from "@dt/core/internal";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { parseSync } from "vite";
import { expect, it } from "vitest";

/** The one file that writes the scope. */
const CONSTANT = "packages/core/src/errors/scope.ts";

/** A node of a syntax tree, with the fields that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly source: unknown;
  readonly value: unknown;
}

/** Texts of a program that hold the scope or begin the name of a channel; what is imported is not among them. */
function textsWithScope(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    if (node.type === "Literal" || node.type === "TemplateElement") {
      const { value: given } = node;
      const written = String(node.type === "Literal" ? given : (given as { readonly raw: string }).raw);
      const line = text.slice(0, node.start).split("\n").length;
      if (written.includes(`${SCOPE}/`) || written.startsWith(`${CHANNEL_PREFIX}:`)) found.push(`${file}:${line}`);
    }
    const isImport = /^(?:Import|Export\w+Declaration|TSImportType)/.test(node.type ?? "");
    for (const [name, part] of Object.entries(value)) if (!(isImport && name === "source")) visit(part);
  };
  visit(parseSync(file, text).program);
  return found;
}

it("code writes the npm scope and the prefix of channels in one place", () => {
  const patterns = ["packages/*/src/*.ts", "apps/*/src/*.ts"];
  const files = execFileSync("git", ["ls-files", ...patterns], { cwd: repositoryRoot, encoding: "utf8" })
    .split("\n")
    // The site is not published to npm: it is built where the scope is known.
    .filter((file) => file !== "" && file !== CONSTANT && !file.startsWith("apps/docs/"));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => textsWithScope(file, readFileSync(join(repositoryRoot, file), "utf8")))).toEqual([]);
});

it("finds texts, and leaves imports and comments alone", () => {
  const code = [
    `import { a } from "${SCOPE}/core"; // ${SCOPE}/core`,
    `export * from "${SCOPE}/core"; type A = import("${SCOPE}/core").A; await import("${SCOPE}/core");`,
    `fail("see ${SCOPE}/core"); Symbol.for(\`${SCOPE}/error\`);`,
    `channel(\`${CHANNEL_PREFIX}:\${a}\`); key = "a${CHANNEL_PREFIX}:";`,
  ];
  expect(textsWithScope("a.ts", code.join("\n"))).toEqual(["a.ts:3", "a.ts:3", "a.ts:4"]);
});

it("every published package is in the scope", () => {
  const manifests = execFileSync("git", ["ls-files", "packages/*/package.json", "apps/*/package.json"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  const published = manifests
    .trim()
    .split("\n")
    .map((file) => JSON.parse(readFileSync(join(repositoryRoot, file), "utf8")) as { name: string; private?: true })
    .filter((manifest) => manifest.private !== true);
  expect(published.filter(({ name }) => !name.startsWith(`${SCOPE}/`))).toEqual([]);
});

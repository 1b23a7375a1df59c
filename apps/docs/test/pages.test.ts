import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, workspacePackages } from "@dt-tooling/bootstrap";
import type { RootContent } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { describe, expect, it } from "vitest";
import { apiEntries } from "../src/api.ts";
import { PAGES } from "../src/sections.ts";
import { QUESTIONS } from "./questions.ts";

const parser = unified().use(remarkParse).use(remarkGfm);

function contentOf(file: string): RootContent[] {
  return parser.parse(readFileSync(join(repositoryRoot, file), "utf8")).children;
}

describe("the pages of the site", () => {
  it("are every page of docs/, the README of each published package, the repository's own, and the alerts, each once", () => {
    const published = workspacePackages().filter(({ manifest }) => !manifest.private);
    const expected = [
      ...globSync("docs/**/*.md", { cwd: repositoryRoot }),
      ...published.map(({ folder }) => `${folder}/README.md`),
      ...globSync("*.md", { cwd: repositoryRoot }),
      "examples/metrics/README.md",
    ];
    expect(PAGES.map(({ file }) => file).toSorted()).toEqual(expected.toSorted());
  });

  it("have addresses of their own, which stay readable", () => {
    const slugs = PAGES.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) expect(slug).toMatch(/^(?:[a-z\d-]+(?:\/[a-z\d-]+)*)?$/);
  });

  it("leave no public import name out of the API reference", () => {
    const names = apiEntries().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["@dt/core", "@dt/core/store", "@dt/http/server", "@dt/numaflow"]));
    expect(names).not.toContain("@dt/core/internal");
    for (const { manifest } of workspacePackages().filter(
      ({ folder, manifest }) => folder.startsWith("packages/") && !manifest.private,
    ))
      expect(names).toContain(manifest.name);
  });
});

/** The words that a reader meets before this node, with those of code. */
function wordsOf(nodes: readonly RootContent[]): number {
  const text = (node: RootContent | { children: RootContent[] }): string =>
    "children" in node
      ? node.children.map((child) => text(child as RootContent)).join(" ")
      : "value" in node
        ? node.value
        : "";
  return nodes.map(text).join(" ").split(/\s+/).filter(Boolean).length;
}

/** What a reader can use at once: code to copy, a table or a list to choose from, a picture. */
const USEFUL = new Set(["code", "table", "list"]);
const isPicture = (node: RootContent): boolean =>
  node.type === "paragraph" && node.children.some(({ type }) => type === "image");
const hasLink = (node: RootContent): boolean =>
  node.type === "link" || ("children" in node && node.children.some((child) => hasLink(child as RootContent)));

describe("the first screen of a page", () => {
  it.each(PAGES.map(({ file }) => file))("%s answers its title: a paragraph, then something to use", (file) => {
    const [, ...nodes] = contentOf(file).filter(({ type }) => type !== "html");
    expect(nodes[0]?.type, "what stands below the title").toBe("paragraph");
    const useful = nodes.findIndex((node) => USEFUL.has(node.type) || isPicture(node) || hasLink(node));
    expect(useful, "code, a table, a list, a picture or a link").toBeGreaterThanOrEqual(0);
    expect(wordsOf(nodes.slice(0, useful)), "words before it").toBeLessThanOrEqual(150);
  });
});

describe("the questions that the search must answer", () => {
  it("lead to pages, and to parts of them that are there", () => {
    for (const { question, page } of QUESTIONS) {
      const [slug] = page.split("#");
      expect(
        PAGES.map(({ slug }) => slug),
        question,
      ).toContain(slug);
    }
  });

  it("are asked by operators and by developers, ten each or more", () => {
    for (const who of ["operator", "developer"]) {
      expect(QUESTIONS.filter((question) => question.who === who).length).toBeGreaterThanOrEqual(10);
    }
  });
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";

const read = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");
const page = read("docs/glossary.md");
const terms = [...page.matchAll(/^### (.+)$/gm)].map(([, term = ""]) => term.toLowerCase());

/** Words of the architecture that no guide needs: those of the protocol, and of what is inside a process. */
const INTERNAL = [
  ...["processor", "slope", "agreed", "exact split", "member count", "members", "entitled", "water level", "need"],
  ...["due", "ask", "line", "listener", "settings", "copy"],
];

/** Words of the architecture that the glossary has under another term. */
const UNDER: Readonly<Record<string, string>> = { "token pool": "pool", fair: "even part", lost: "slot" };

describe("docs/glossary.md", () => {
  it("has every public word of the architecture's list", () => {
    const [, list = ""] = /^## Words\n(.*?)^### /ms.exec(read("docs/architecture.md")) ?? [];
    const words = [...list.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = ""]) => word.replace(/\s+/g, " "));
    expect(words.length).toBeGreaterThan(30);
    const missing = words.filter((word) => !terms.includes(UNDER[word] ?? word) && !INTERNAL.includes(word));
    expect(missing).toEqual([]);
    // A word that went from that list goes from these, too.
    expect([...INTERNAL, ...Object.keys(UNDER)].filter((word) => !words.includes(word))).toEqual([]);
  });

  it("has each term once, with a sentence or a few", () => {
    expect(new Set(terms).size).toBe(terms.length);
    for (const [, term = "", text = ""] of page.matchAll(/^### (.+)\n\n(.*?)(?=\n#|$(?![\s\S]))/gms)) {
      const sentences = text.trim().split(/[.:)]\s+(?=[A-Z])/);
      expect(text.trim(), term).not.toBe("");
      expect(sentences.length, term).toBeLessThanOrEqual(4);
    }
  });

  it("has every term that another page links to", () => {
    const pages = globSync(["docs/**/*.md", "*.md", "{packages,apps,examples}/*/README.md"], { cwd: repositoryRoot });
    const slugs = new Set(terms.map((term) => term.replace(/[^\w\s-]/g, "").replaceAll(" ", "-")));
    const links = pages.flatMap((file) =>
      [...read(file).matchAll(/glossary\.md#([\w-]+)/g)].map(([, anchor = ""]) => ({ file, anchor })),
    );
    expect(links.filter(({ anchor }) => !slugs.has(anchor))).toEqual([]);
  });
});

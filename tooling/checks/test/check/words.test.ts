import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";

const PAGE = "docs/architecture.md";

/** What may name an old word: the list itself, a history of changes, and what other programs wrote. */
const MAY_NAME: readonly RegExp[] = [
  /^docs\/architecture\.md$/,
  /^\.changeset\//,
  /^CHANGELOG\.md$/,
  /^pnpm-lock\.yaml$/,
  /\.(?:svg|png)$/,
];

/** The old words of the page's table, each with what replaced it. */
function oldWordsOf(page: string): ReadonlyMap<string, string> {
  const [, table = ""] = /^### Words that went\n(.*?)^## /ms.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| (`.*?`) \| (.*?) \|$/gm)];
  return new Map(
    rows.flatMap(([, olds = "", now = ""]) =>
      [...olds.matchAll(/`([^`]+)`/g)].map(([, old = ""]): [string, string] => [old, now]),
    ),
  );
}

/** The places of a text that have an old word, as a whole word. */
function placesOf(old: ReadonlyMap<string, string>, file: string, text: string): readonly string[] {
  return [...old].flatMap(([word, now]) => {
    if (!text.includes(word)) return [];
    const pattern = new RegExp(`(?<!\\w)${word.replace(/[^\w\s]/g, "\\$&")}(?!\\w)`);
    return text
      .split("\n")
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${word}, which is now ${now}`] : []));
  });
}

describe("a word that went", () => {
  const old = oldWordsOf(readFileSync(join(repositoryRoot, PAGE), "utf8"));

  it("stands on the page with what replaced it", () => {
    expect(old.get("poolSize")).toContain("`members`");
    expect(old.get("DT_ACQUIRE_TIMEOUT")).toBe("`DT_TIMEOUT`");
    expect(old.size).toBeGreaterThan(10);
    for (const [word, now] of old) expect(now, word).not.toBe("");
  });

  it("is found as a whole word, and nowhere else", () => {
    const words = new Map([["poolSize", "`members`"]]);
    expect(placesOf(words, "a.ts", "const a = 1;\nlog(view.poolSize);")).toEqual([
      "a.ts:2: poolSize, which is now `members`",
    ]);
    expect(placesOf(words, "a.ts", "const poolSizes = connectionPoolSize;")).toEqual([]);
    const calls = new Map([["createThrottle({ group", "name"]]);
    expect(placesOf(calls, "a.md", "`createThrottle({ group: 1 })`, createThrottle({ groups })")).toHaveLength(1);
  });

  it("is in no file of the repository, nor in the name of one", () => {
    const files = execFileSync("git", ["ls-files"], { cwd: repositoryRoot, encoding: "utf8", maxBuffer: 2 ** 24 })
      .split("\n")
      .filter((file) => file !== "" && !MAY_NAME.some((pattern) => pattern.test(file)))
      // This test needs examples.
      .filter((file) => !file.endsWith("check/words.test.ts"));
    expect(files.length).toBeGreaterThan(1_000);
    const places = files.flatMap((file) => [
      ...placesOf(old, file, readFileSync(join(repositoryRoot, file), "utf8")),
      ...placesOf(old, "the name", file),
    ]);
    expect(places).toEqual([]);
  });
});

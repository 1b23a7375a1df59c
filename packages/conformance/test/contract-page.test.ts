import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { RULES } from "../src/rules.ts";

const page = readFileSync(new URL("../../../docs/store-contract.md", import.meta.url), "utf8");

/** The rules of docs/store-contract.md: each number with the text below its heading. */
const rules = [...page.matchAll(/^### ([A-Z]\d+) .+\n\n((?:(?!^##).*\n?)*)/gm)].map(
  ([, number = "", text = ""]) => [number, text] as const,
);

it("the page has every rule that the suite names", () => {
  const numbers = rules.map(([number]) => number);
  expect(Object.keys(RULES).filter((rule) => !numbers.includes(rule))).toEqual([]);
  // What copies of a record are, and that a change takes nothing back: tried by R36, P16, B13 and K9.
  expect(numbers.filter((number) => !(number in RULES))).toEqual(["L4", "L5"]);
});

it("the numbers of each kind of rule have no gaps", () => {
  const counts = { R: 36, P: 16, B: 13, K: 13, L: 7 };
  const all = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => `${kind}${index + 1}`),
  );
  expect(rules.map(([number]) => number)).toEqual(all);
});

it("each rule begins with a bold sentence that states it", () => {
  const without = rules.filter(([, text]) => !/^\*\*[^*]+[.]\*\*\n(?:\n|$)/.test(text));
  expect(without.map(([number]) => number)).toEqual([]);
});

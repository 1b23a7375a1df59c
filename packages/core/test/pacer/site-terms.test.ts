import { expect, it } from "vitest";
import { siteTerms } from "../../src/pacer/site-terms.ts";

const terms = (...names: string[]): string => siteTerms(new Map(names.map((name) => [name, "every 100 ms, burst 1"])));

it("sites are told as a text that is the same in whatever order they are named", () => {
  expect(terms("us", "eu")).toBe("eu: every 100 ms, burst 1; us: every 100 ms, burst 1");
  expect(terms("eu", "us")).toBe(terms("us", "eu"));
});

it("names that could be taken for something else are quoted", () => {
  expect(terms("a: every 1 ms; b")).toBe('"a: every 1 ms; b": every 100 ms, burst 1');
  expect(terms("\ud800\0").isWellFormed()).toBe(true);
});

it("a list that is too long for a key's terms is told by its digest, which differs when one part does", () => {
  const names = Array.from({ length: 100 }, (_, i) => `data-centre-${i}`);
  const whole = terms(...names);
  expect(whole).toMatch(/^100 sites, digest [0-9a-f]{16}$/);
  expect(new Set([whole, ...names.map((gone) => terms(...names.filter((name) => name !== gone)))]).size).toBe(101);
  expect(terms(...names.toReversed())).toBe(whole);
});

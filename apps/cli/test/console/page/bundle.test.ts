import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { pageFiles } from "../../../src/console/page-files.ts";

/** What a browser loads of the page at most, compressed, in bytes; 31 kB of them are preact and uPlot. */
const MOST_BYTES = 48_000;

const FOLDER = join(import.meta.dirname, "../../../src/console/page");
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

let files: ReadonlyMap<string, Uint8Array>;

beforeAll(async () => {
  files = await pageFiles();
});

function text(name: string): string {
  const contents = files.get(name);
  if (contents === undefined) throw new Error(`the page has no ${name}`);
  return new TextDecoder().decode(contents);
}

test("the page has its files, and the licenses of what went in", () => {
  expect([...files.keys()].sort()).toEqual(["favicon.svg", "index.html", "licenses.txt", "page.css", "page.js"]);
  for (const name of ["preact", "uplot"]) expect(text("licenses.txt")).toMatch(new RegExp(`^${name}$`, "m"));
  expect(text("licenses.txt").match(/The MIT License|MIT License/g)).toHaveLength(2);
});

test("scripts and styles are small", () => {
  const size = ["page.js", "page.css"].reduce((sum, name) => sum + gzipSync(text(name), { level: 9 }).length, 0);
  expect(size).toBeLessThan(MOST_BYTES);
});

test("nothing needs what a strict policy forbids: code or styles in the page, code made of text, other servers", () => {
  const forbidden: readonly (readonly [file: string, what: RegExp])[] = [
    ["index.html", /<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/i],
    ["page.js", /\beval\(|\bnew Function\b|https?:\/\/(?!www\.w3\.org)/],
    ["page.css", /url\(|@import/],
  ];
  // Not `toMatch`: a failure would print the whole file.
  for (const [file, what] of forbidden) expect([file, what.exec(text(file))?.[0]]).toEqual([file, undefined]);
});

test("the page itself sets no HTML: names come from a store", () => {
  const sources = globSync("**/*.{ts,tsx}", { cwd: FOLDER });
  expect(sources.length).toBeGreaterThan(20);
  const setting = sources.filter((file) =>
    /(?:inner|outer)HTML|dangerouslySet|insertAdjacentHTML|document\.write/.test(read(file)),
  );
  expect(setting).toEqual([]);
});

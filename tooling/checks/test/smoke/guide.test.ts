import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readGuide } from "./guide.ts";

const page = join(import.meta.dirname, "../../../../docs/writing-a-store.md");

it("the guide for authors of stores says of each block of code what it is for, so that the proof can follow it", () => {
  expect(readGuide(page).length).toBeGreaterThan(5);
});

it("the guide for authors of stores links only to what exists", () => {
  const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(
    ([, link = ""]) => link,
  );
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});

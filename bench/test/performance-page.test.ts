import { describe, expect, it } from "vitest";
import { performancePage, writtenPerformancePage } from "../src/performance-page.ts";
import { benchmarks } from "../src/registry.ts";
import { savedResult } from "../src/saved-results.ts";

describe("docs/performance.md", () => {
  it("says what the kept results say", () => {
    expect(writtenPerformancePage()).toBe(performancePage());
  });

  it("leads from every answer to a section of its own", () => {
    const page = performancePage();
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text);
    const anchors = headings.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(15);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ""))).toEqual([]);
  });

  it.each(benchmarks.map(({ name }) => name))("has a full result of %s, with machine, date and command", (name) => {
    const result = savedResult(name);
    expect(result).toMatchObject({ benchmark: name, quick: false });
    expect(result?.command).toMatch(new RegExp(`^npm run -s bench -- ${name} .*--save`));
    expect(result?.machine).toMatchObject({ cpu: expect.any(String), node: expect.stringMatching(/^24\./) });
    expect(Date.parse(result?.date ?? "")).toBeGreaterThan(0);
  });
});

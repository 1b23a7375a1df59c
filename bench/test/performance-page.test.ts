import { describe, expect, it } from "vitest";
import type { FirstTokenFigures } from "../src/first-token/first-token.ts";
import { performancePage, writtenPerformancePage } from "../src/performance-page.ts";
import { benchmarks } from "../src/registry.ts";
import { type Result, resultBefore, savedResult } from "../src/saved-results.ts";

type FirstToken = Result<FirstTokenFigures>;

describe("docs/performance.md", () => {
  it("says what the kept results say", () => {
    expect(writtenPerformancePage()).toBe(performancePage());
  });

  it.each(benchmarks.map(({ name }) => name))("has a full result of %s, with machine, date and command", (name) => {
    const result = savedResult(name);
    expect(result).toMatchObject({ benchmark: name, quick: false });
    expect(result?.command).toMatch(new RegExp(`^npm run -s bench -- ${name} .*--save`));
    expect(result?.machine).toMatchObject({ cpu: expect.any(String), node: expect.stringMatching(/^24\./) });
    expect(Date.parse(result?.date ?? "")).toBeGreaterThan(0);
  });
  it("shows the first token beside what the commit before measured, for every store", () => {
    const [now, before] = [savedResult("first-token"), resultBefore("first-token")] as [FirstToken, FirstToken];
    expect(before).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{7}/), quick: false });
    expect(before.figures.stores.map(({ name }) => name)).toEqual(now.figures.stores.map(({ name }) => name));
    expect(performancePage()).toContain(`at commit ${before.commit}`);
    expect(performancePage()).toContain("| new group, 1s: before | now |");
  });
});

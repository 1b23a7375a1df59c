import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createThrottle, MemoryStore, type ThrottleOptions } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const examples = examplesOf(readme);
const packages = globSync("packages/*/README.md", { cwd: root }).map((path) => ({
  path,
  examples: examplesOf(readFileSync(join(root, path), "utf8")),
}));

function examplesOf(page: string): { path: string; code: string }[] {
  return [...page.matchAll(/<!-- example: (\S+) -->\n```js\n([\s\S]*?)```/g)].map(([, path = "", code = ""]) => ({
    path,
    code,
  }));
}

describe("the README's examples", () => {
  it("are the scenarios that run from packed tarballs under every supported Node", () => {
    expect(examples.map(({ path }) => path)).toEqual(["sqlite/readme.mjs", "redis/readme.mjs", "sqlite/pacer.mjs"]);
  });

  it.each(examples)("$path is what the README shows, at most 20 lines", ({ path, code }) => {
    expect(readFileSync(join(root, "tooling/checks/scenarios", path), "utf8")).toBe(code);
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  it.each(packages.filter((page) => page.examples.length > 0))("and those of $path", ({ examples }) => {
    for (const { path, code } of examples)
      expect(readFileSync(join(root, "tooling/checks/scenarios", path), "utf8")).toBe(code);
  });

  it("links only to pages that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(4);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});

describe("the README's figures", () => {
  // Lines are wrapped: one space for each end of a line.
  const pageOf = (path: string): string => readFileSync(join(root, path), "utf8").replace(/\s+/g, " ");
  const page = pageOf("README.md");

  it.each([
    ["docs/performance.md", "96.5 %", /\| demand \| 96\.5 % \| 0 \|/],
    ["docs/performance.md", "43.1 %", /\| even \| 43\.1 % \|/],
    ["docs/performance.md", "about 40 ns", /\| @dt\/core tryAcquire, epoch[^|]* \| (3[5-9]|4[0-4])\.\d \|/],
    ["docs/sizes.md", "under 50 kB", /createThrottle \} from "@dt\/core"` \| [1-4]?\d\.\d kB/],
    ["docs/guarantees.md", "100,000", /\| `atomic` \| everything in the promise \| 100,000 \| 0 \| 0 \|/],
  ])("in %s: %s", (path, figure, measured) => {
    expect(page).toContain(figure);
    expect(pageOf(path)).toMatch(measured);
  });

  it("of the picture's words are in the picture", () => {
    const [, words = ""] = /!\[([^\]]*)\]\(docs\/demo\.svg\)/.exec(page) ?? [];
    const [, picture = ""] = /aria-label="([^"]*)"/.exec(pageOf("docs/demo.svg")) ?? [];
    const [, highest] = /goes to (\d+) after the join/.exec(words) ?? [];
    expect(picture).toMatch(new RegExp(`Without, each process .*: at most ${highest} calls in any second`));
  });
});

describe("the README's first example, run in two terminals", () => {
  it("makes 10 calls a second, about 100 ms apart, in any second whatever", async () => {
    const [, written = ""] = /createThrottle\(\{ (.*), store \}\)/.exec(examples[0]?.code ?? "") ?? [];
    const options = JSON.parse(`{${written.replace(/(\w+):/g, '"$1":')}}`) as ThrottleOptions;
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const instants: number[] = [];
    const terminal = async (): Promise<void> => {
      const throttle = createThrottle({ ...options, store, runtime });
      const pay = throttle.wrap(async () => void instants.push(runtime.now()));
      await Promise.all(Array.from({ length: 25 }, () => pay()));
      await throttle.stop();
    };
    // The first begins shortly before an epoch ends, which is when most can come together.
    await runtime.advance(840);
    const first = terminal();
    await runtime.advance(700);
    const second = terminal();
    await runtime.advance(10_000);
    await Promise.all([first, second]);
    expect(instants).toHaveLength(50);
    const within = (from: number): number => instants.filter((at) => at >= from && at < from + 1_000).length;
    // One more where a second ends in the middle between two calls, as the instants are those of two clocks.
    expect(Math.max(...instants.map(within))).toBeLessThanOrEqual(11);
  });
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";

const pages = ["budgets.md", "events.md", "pacing.md", "semaphores.md"].map((name) => ({
  name,
  page: readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8"),
}));
const examples = pages.flatMap(({ name, page }) =>
  [...page.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code, output]) => ({ name, code, output })),
);

it("docs/budgets.md has eight examples, events.md one, pacing.md four, semaphores.md two, with what they print", () => {
  expect(examples.map(({ name }) => name)).toEqual([
    ...Array(8).fill("budgets.md"),
    "events.md",
    ...Array(4).fill("pacing.md"),
    ...Array(2).fill("semaphores.md"),
  ]);
  expect(pages.map(({ page }) => page.match(/```js/g)?.length)).toEqual([8, 1, 4, 2]);
});

it.each(examples)("and they print that: $name", ({ code, output }) => {
  const folder = mkdtempSync(join(tmpdir(), "dt-page-"));
  try {
    const script = join(folder, "example.mjs");
    writeFileSync(script, code as string);
    const args = ["--no-warnings", "--import", loader, script];
    const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe(output);
    expect(run.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the tests on docs/guides/testing.md are those that run here", () => {
  const page = readFileSync(new URL("../../../docs/guides/testing.md", import.meta.url), "utf8");
  const shown = [...page.matchAll(/<!-- example: (\S+\.test\.ts) -->\n```ts\n(.*?)```/gs)];
  expect(shown).toHaveLength(2);
  for (const [, path, code] of shown)
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")).toBe(code);
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const page = readFileSync(new URL("../../../../docs/pacing.md", import.meta.url), "utf8");
const loader = new URL("../../../../tooling/build-config/src/from-sources.ts", import.meta.url).href;
const examples = [...page.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code, output]) => [code, output]);

it("docs/pacing.md has three examples, each with what it prints", () => {
  expect(examples).toHaveLength(3);
  expect(page.match(/```js/g)).toHaveLength(3);
});

it.each(examples)("and they print that: %#", { timeout: 60_000 }, (code, output) => {
  const folder = mkdtempSync(join(tmpdir(), "dt-pacing-"));
  try {
    const script = join(folder, "example.mjs");
    writeFileSync(script, code as string);
    const args = ["--no-warnings", "--import", loader, script];
    const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 50_000 });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe(output);
    expect(run.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

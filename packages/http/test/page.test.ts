import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";

const page = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```js\n((?:(?!```).)*)```\n\n```text\n(.*?)```/gs)].map(
  ([, code = "", output = ""]) => ({
    code,
    output,
  }),
);

it("docs/http.md has two examples with their output, and one that is a scenario", () => {
  expect(examples).toHaveLength(2);
  expect(page.match(/```js/g)).toHaveLength(3);
  expect(page.match(/<!-- example: http\/both-sides.mjs -->\n```js/g)).toHaveLength(1);
});

it.each(examples)("and they print what the page shows: $#", ({ code, output }) => {
  const folder = mkdtempSync(join(tmpdir(), "dt-page-"));
  try {
    const script = join(folder, "example.mjs");
    writeFileSync(script, code);
    const args = ["--no-warnings", "--import", loader, script];
    const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
    expect(run).toMatchObject({ stderr: "", stdout: output, status: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

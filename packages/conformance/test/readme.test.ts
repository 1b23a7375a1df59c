import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { RULES } from "@dt/conformance";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the four lines in the README are a whole conformance test", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dt-conformance-"));
  try {
    const script = join(folder, "example.mjs");
    writeFileSync(script, /```js\n(.*?)```/s.exec(readme)?.[1] as string);
    const args = ["--no-warnings", "--import", loader, "--test", "--test-reporter", "tap", script];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toMatch(/^# pass \d\d/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the README lists every rule", () => {
  for (const rule of Object.keys(RULES)) expect(readme).toContain(`| ${rule} `);
});

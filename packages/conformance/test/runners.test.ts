import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterEach, expect, it } from "vitest";

// Under vitest the suite runs in memory.test.ts, under node:test in readme.test.ts.

const run = promisify(execFile);
const folder = new URL("runners/", import.meta.url).pathname;
const sources = new URL("../../", import.meta.url).pathname;
const LIMIT_MS = 60_000;

let sandbox: string | undefined;
afterEach(() => {
  if (sandbox) rmSync(sandbox, { recursive: true });
  sandbox = undefined;
});

it("the suite runs under jest, as CommonJS", { timeout: LIMIT_MS }, async () => {
  sandbox = mkdtempSync(join(tmpdir(), "dt-conformance-"));
  const alias = {
    "@dt/core": join(sources, "core/src/index.ts"),
    "@dt/core/internal": join(sources, "core/src/internal/index.ts"),
    "@dt/core/ledger": join(sources, "core/src/ledger/index.ts"),
    "@dt/core/store": join(sources, "core/src/store/index.ts"),
    "@dt/core/testing": join(sources, "core/src/testing/index.ts"),
  };
  const shared = { bundle: true, platform: "node", format: "cjs", alias } as const;
  await build({
    ...shared,
    entryPoints: [join(sources, "conformance/src/index.ts")],
    outfile: join(sandbox, "bundle.cjs"),
  });
  await build({ ...shared, entryPoints: [join(sources, "core/src/index.ts")], outfile: join(sandbox, "core.cjs") });
  copyFileSync(join(folder, "suite.jest.cjs"), join(sandbox, "suite.jest.cjs"));
  writeFileSync(join(sandbox, "package.json"), JSON.stringify({ jest: { testMatch: ["**/*.jest.cjs"] } }));
  const jest = join(dirname(createRequire(import.meta.url).resolve("jest/package.json")), "bin/jest.js");
  const { stderr } = await run(process.execPath, [jest, "--json", "--outputFile", "result.json"], { cwd: sandbox });
  expect(stderr).toMatch(/^Tests: +\d+ skipped, \d{2,} passed, /m);
});

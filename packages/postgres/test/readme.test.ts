import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readmeBlocks } from "./support/readme.ts";

let server: PostgresServer;
const folder = mkdtempSync(join(tmpdir(), "dt-postgres-readme-"));

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.stop();
});

function run(example: string): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  const script = join(folder, "example.mjs");
  writeFileSync(script, example);
  return spawnSync(process.execPath, ["--no-warnings", "--import", loader, script], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: server.url },
    encoding: "utf8",
    timeout: 50_000,
  });
}

test.each(["createThrottle", "createPacer"])("the example of %s in the README runs as it is", (name) => {
  const example = readmeBlocks("js").find((block) => block.includes(`${name}({`));
  expect(run(example as string)).toMatchObject({ stdout: "call 0\ncall 1\ncall 2\n", stderr: "", status: 0 });
});

test("the administrator's example prints the migration", () => {
  const example = readmeBlocks("js").find((block) => block.includes("migrationSql(")) as string;
  const { stdout, stderr } = run(example);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^BEGIN;\nCREATE SCHEMA IF NOT EXISTS "dt";[\s\S]*COMMIT;\n$/);
});

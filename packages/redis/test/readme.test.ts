import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { afterAll, beforeAll, expect, test } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code as string);
const folder = mkdtempSync(join(tmpdir(), "dt-redis-readme-"));
let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.stop();
});

test.each(["createThrottle", "createPacer"])("the example of %s in the README runs as it is", async (name) => {
  const script = join(folder, `${name}.mjs`);
  writeFileSync(script, examples.find((code) => code.includes(`${name}({`)) as string);
  const run = await promisify(execFile)(process.execPath, ["--no-warnings", "--import", loader, script], {
    cwd: folder,
    env: { ...process.env, REDIS_URL: server.url },
    timeout: 50_000,
  });
  expect(run).toMatchObject({ stdout: "call 0\ncall 1\ncall 2\n", stderr: "" });
});

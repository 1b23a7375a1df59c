import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loader } from "./support/child.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

it("the example in the README runs as it is", { timeout: 30_000 }, () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] as string;
  const script = join(sandbox.folder, "example.mjs");
  writeFileSync(script, example);
  const run = spawnSync(process.execPath, ["--no-warnings", "--import", loader, script], {
    cwd: sandbox.folder,
    encoding: "utf8",
    timeout: 25_000,
  });
  expect(run.stderr).toBe("");
  expect(run.stdout).toBe("call 0\ncall 1\ncall 2\n");
  expect(run.status).toBe(0);
});

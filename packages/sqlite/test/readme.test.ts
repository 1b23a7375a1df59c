import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code as string);

it("the README has an example of a throttle and one of a pacer", () => {
  expect(examples.map((code) => /create\w+/.exec(code)?.[0])).toEqual(["createThrottle", "createPacer"]);
});

it.each(examples)("and they run as they are: %#", (example) => {
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

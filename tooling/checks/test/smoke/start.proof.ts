import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Finished, Stranger } from "./stranger.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/start.md"), "utf8");
const [, program = ""] = /Save this as `pay\.mjs`:\n\n<!-- [^\n]* -->\n```js\n(.*?)```/s.exec(page) ?? [];
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trimEnd().split("\n"));
const stranger = new Stranger();

beforeAll(() => stranger.pack(), 300_000);
afterAll(() => stranger.leave());

function run(line: string): Finished {
  const done = stranger.run(line);
  expect(done.code, `${line}\n${done.stderr}\n${done.stdout}`).toBe(0);
  return done;
}

it("docs/start.md leads from an empty folder to a fleet that is seen, by its commands word for word", {
  timeout: 300_000,
}, () => {
  const [make = "", install = "", start = "", status = "", console = ""] = commands;
  expect(console).toMatch(/^npx @dt\/cli console sqlite:limits\.db /); // It goes on until Ctrl-C.
  run(make);
  run(install);
  stranger.write("pay.mjs", program);
  const { stdout, stderr } = run(start);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^(calls in this second: \d+, processes: 1\n)+done\n$/);
  stranger.run("npm install @dt/cli"); // Here no registry has it for npx.
  expect(run(status).stdout).toContain("throttle payments: ok");
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { until } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, test } from "vitest";
import { afterwards, ownServer } from "./support/keep.ts";

const page = readFileSync(new URL("../../../docs/guides/store-down.md", import.meta.url), "utf8");
const script = new URL("./page/store-down.mjs", import.meta.url);
const [, shown = "", output = ""] =
  /<!-- example: packages\/redis\/test\/page\/store-down\.mjs -->\n```js\n(.*?)```.*?```text\n(.*?)```/s.exec(page) ??
  [];

test("the rehearsal on the page is the program that runs here", () => {
  expect(shown).toBe(readFileSync(script, "utf8"));
});

test("and prints what the page shows, when Redis is killed and comes back without its data", {
  timeout: 120_000,
}, async () => {
  const server = await ownServer();
  const child = spawn(process.execPath, ["--no-warnings", "--import", loader, script.pathname], {
    env: { ...process.env, REDIS_URL: server.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  afterwards(() => child.kill("SIGKILL"));
  const ended = once(child, "close");
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const untilLines = (count: number): Promise<unknown> =>
    until(`${count} lines of the program`, 60_000, () => lines.length >= count);

  await untilLines(1);
  await server.kill();
  await untilLines(3);
  await server.restart({ keepData: false });
  await untilLines(5);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(0);
  // The times depend on how busy this machine is.
  const withoutTime = (line: string): string => line.replace(/\d+ s/, "some seconds");
  expect(lines.map(withoutTime)).toEqual(output.trimEnd().split("\n").map(withoutTime));
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { dt, type Running, startDt } from "./support/cli.ts";
import { scratchFolder } from "./support/scratch.ts";
import { memoryTarget, targetFile } from "./support/target-file.ts";

/** Writes down what was called, and keeps the process alive as a server would. */
const LOG =
  'import { appendFileSync } from "node:fs"; const log = (line) => appendFileSync(process.env.CALLS, line + "\\n"); const server = setInterval(() => {}, 1e6);';
const STOP = 'stop() { clearInterval(server); log("stop"); },';

function started(text: string, ...args: string[]): { run: Running; calls: string } {
  const calls = join(scratchFolder(), "calls");
  const run = startDt(["conformance", targetFile(text), ...args], { CALLS: calls });
  onTestFinished(() => run.kill("SIGKILL"));
  return { run, calls };
}

async function linesOf(file: string): Promise<string[]> {
  const { readFile } = await import("node:fs/promises");
  return existsSync(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
}

describe("at the end of dt conformance", () => {
  test.each([
    ["stop()", STOP],
    ["its asyncDispose", '[Symbol.asyncDispose]: async () => { clearInterval(server); log("stop"); },'],
  ])("the target's servers are ended by %s", async (_, stop) => {
    const { run, calls } = started(memoryTarget(stop, LOG), "R14");
    const { code, stderr } = await run.finished;
    expect(await linesOf(calls)).toEqual(["stop"]);
    expect(stderr).not.toContain("keeps the process alive");
    expect(code).toBe(0);
  });

  test("a target without stop() is told that it keeps the process alive, and the process ends", async () => {
    const { run } = started(memoryTarget("", LOG), "R14");
    const { code, stderr } = await run.finished;
    expect(stderr).toContain(
      "target.mjs: something that it started keeps the process alive; end it in the target's stop()",
    );
    expect(code).toBe(0);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s undoes a fault that is in effect, stops the target and exits with %i", async (signal, exitCode) => {
    const faults =
      'faults: { async pause() { log("pause"); await new Promise(() => {}); }, async resume() { log("resume"); } },';
    const { run, calls } = started(memoryTarget(STOP + faults, LOG), "paused", "--json");
    await until("the server is paused", 30_000, async () => (await linesOf(calls)).includes("pause"));
    run.kill(signal);
    const { code, stdout, stderr } = await run.finished;
    expect(await linesOf(calls)).toEqual(["pause", "resume", "stop"]);
    expect(stderr).toContain(`stopped by ${signal}; the suite was not finished`);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(stdout).toBe("");
    expect(code).toBe(exitCode);
  });

  test("a target that is still starting is stopped too when Ctrl-C comes", async () => {
    const slow = `import { MemoryStore } from "@dt/core"; ${LOG} log("starting");
      export default () => new Promise((resolve) => process.once("SIGINT", () => setTimeout(resolve, 200, target)));
      ${memoryTarget(STOP)
        .replace(/^import.*$/m, "")
        .replace("export default", "const target =")}`;
    const { run, calls } = started(slow);
    await until("it starts", 30_000, async () => (await linesOf(calls)).includes("starting"));
    await new Promise((resolve) => setImmediate(resolve));
    run.kill("SIGINT");
    expect((await run.finished).code).toBe(130);
    expect(await linesOf(calls)).toEqual(["starting", "stop"]);
  });

  test("an error that nobody could handle is shown, and the target is stopped", async () => {
    const stray =
      "createStore() { setImmediate(() => { throw new Error('socket gone'); }); return new MemoryStore(); },";
    const { run, calls } = started(memoryTarget(STOP + stray, LOG));
    const { code, stdout, stderr } = await run.finished;
    expect(stderr).toContain(
      "error: an error that no call was answered with, so that no caller could handle it: Error: socket gone",
    );
    expect(stdout).toBe("");
    expect(await linesOf(calls)).toEqual(["stop"]);
    expect(code).toBe(1);
  });

  test("a stop() that fails is said, and does not take the report away", async () => {
    const { code, stdout, stderr } = await dt(
      "conformance",
      targetFile(memoryTarget("stop() { throw new Error('stuck'); },")),
      "R14",
    );
    expect(stderr).toContain("ending what the target started failed: stuck");
    expect(stdout).toContain("memory: passed");
    expect(code).toBe(0);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loader } from "@dt-tooling/backends/source-process";
import { onTestFinished } from "vitest";

/** An example that runs as a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** All of its output, once it has ended, with its exit code. */
  readonly ended: Promise<{ readonly output: string; readonly code: number | null }>;
}

/** Starts an example. It is ended with the test. */
export function start(name: string, ...args: readonly string[]): Program {
  const script = fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--no-warnings", "--import", loader, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, OPENAI_API_KEY: "any", ANTHROPIC_API_KEY: "any" },
  });
  const closed = once(child, "close");
  const ended = Promise.all([text(child.stdout), closed]).then(([output, [code]]) => ({ output, code }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  return { child, ended };
}

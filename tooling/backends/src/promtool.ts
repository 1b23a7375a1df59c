import { execFile } from "node:child_process";
import { type Program, requireProgram } from "./program.ts";

const program: Program = {
  command: "promtool",
  aptPackage: "prometheus",
  hint: "Install Prometheus >= 2.42 (Debian: apt-get install prometheus, macOS: brew install prometheus).",
};

/** How a run of promtool ended, and what it wrote. */
export interface PromtoolRun {
  /** The exit code: 0 where everything is as it must be. */
  readonly code: number;
  /** Standard output and standard error, in this order. */
  readonly output: string;
}

/**
 * Runs promtool to its end: `promtool(["check", "rules", "rules.yml"])`, `promtool(["test", "rules", "tests.yml"])`.
 *
 * @param cwd the folder in which it runs; rule files in a test file are relative to the test file itself
 * @throws Error where promtool is not on this machine, or did not run to its end
 */
export async function promtool(args: readonly string[], cwd?: string): Promise<PromtoolRun> {
  const command = await requireProgram(program);
  return new Promise((resolve, reject) => {
    const options = { ...(cwd === undefined ? {} : { cwd }), maxBuffer: Number.POSITIVE_INFINITY };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

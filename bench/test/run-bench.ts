import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs the benchmark command as `npm run bench` does, against the built packages. */
export function runBench(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return execute(process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args], { maxBuffer: 2 ** 24 });
}

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";

const execute = promisify(execFile);

/** For a test that runs a benchmark, in milliseconds: against hangs only, for a slow machine may take minutes. */
export const PATIENCE_MS = 900_000;

/** What half and what 99 % of some measured waits do not exceed. */
export function expectOrdered(waitMs: readonly (number | null)[] | null, name: string): void {
  const [p50, p99] = waitMs ?? [];
  expect(p50, name).toEqual(expect.any(Number));
  expect(p99, name).toBeGreaterThanOrEqual(p50 as number);
}

/** Runs the benchmark command as `npm run bench` does, against the built packages. */
export function runBench(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return execute(process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args], { maxBuffer: 2 ** 24 });
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { realTimePrefix } from "./real-time.ts";

const execute = promisify(execFile);

/** Longest time a child may take, where its plan says nothing; one that hangs must not hang the benchmark. */
const DEADLINE_MS = 600_000;

/**
 * A process of its own: nothing that ran before decides how V8 compiles what runs in it; nothing interrupts it where
 * that can be had.
 */
export interface ChildPlan {
  /** Path of the script. */
  readonly script: string;
  readonly args: readonly string[];
  /** Flags for Node. */
  readonly flags?: readonly string[];
  /** Longest time it may take, in milliseconds. */
  readonly deadlineMs?: number;
  /** Words before the command. Default: for real-time priority. */
  readonly prefix?: readonly string[];
}

/**
 * Runs a script under this Node and returns the JSON it printed.
 * @throws Error with what the child wrote to stderr
 */
export async function runChild<T>(plan: ChildPlan): Promise<T> {
  const { script, args, flags = [], deadlineMs = DEADLINE_MS, prefix = await realTimePrefix() } = plan;
  const [file, ...rest] = [...prefix, process.execPath, ...flags, script, ...args];
  const { stdout } = await execute(file as string, rest, {
    timeout: deadlineMs,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout) as T;
}

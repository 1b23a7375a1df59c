import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { realTimePrefix } from "./real-time.ts";

const execute = promisify(execFile);

/** Longest time a child may take; a candidate that hangs must not hang the benchmark. */
const deadlineMs = 120_000;

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
}

/**
 * Runs a script under this Node and returns the JSON it printed.
 * @throws Error with what the child wrote to stderr
 */
export async function runChild<T>({ script, args, flags = [] }: ChildPlan): Promise<T> {
  const [file, ...rest] = [...(await realTimePrefix()), process.execPath, ...flags, script, ...args];
  const { stdout } = await execute(file as string, rest, {
    timeout: deadlineMs,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout) as T;
}

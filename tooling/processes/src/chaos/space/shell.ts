import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a command to its end and gives what it printed. @throws Error with what it wrote to standard error */
export async function shell(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(command, [...args], { timeout: 10_000 });
  return stdout;
}

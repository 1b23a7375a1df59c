import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { repositoryRoot } from "@dt-tooling/build-config";

/** A step that takes longer hangs: it is killed and counts as failed. */
const stepDeadlineMs = 30 * 60_000;

/** Some tools colour their output also when it goes to a file. */
const environment = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: "1" };

const running = new Set<ChildProcess>();

/**
 * Runs a tool in the repository's root, its output to the terminal.
 *
 * @returns undefined when its exit code is 0, else what happened, such as "exit code 1".
 */
export async function run(tool: string, args: readonly string[]): Promise<string | undefined> {
  const signal = AbortSignal.timeout(stepDeadlineMs);
  const child = spawn(tool, args, {
    cwd: repositoryRoot,
    env: environment,
    // Messages and errors in one stream, so that they keep their order also in a log file.
    stdio: ["ignore", "inherit", 1],
    signal,
    killSignal: "SIGKILL",
  });
  running.add(child);
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return undefined;
    return code === null ? `ended by ${killedBy}` : `exit code ${code}`;
  } catch (error) {
    return signal.aborted ? `still running after ${stepDeadlineMs / 60_000} minutes` : String(error);
  } finally {
    running.delete(child);
  }
}

/** Passes a stop signal on to the tool that is running. */
export function stopRunning(signal: NodeJS.Signals): void {
  for (const child of running) child.kill(signal);
}

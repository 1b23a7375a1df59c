import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import type { Write } from "./step.ts";

/** A step that takes longer hangs, also on a busy machine: it is killed and counts as failed. */
const stepDeadlineMs = 50 * 60_000;

/**
 * Some tools colour their output also in a pipe. Colours are not forced for a terminal either: what tests start would
 * inherit that, and colour what the tests read.
 */
const environment = { ...process.env, NO_COLOR: "1" };

const running = new Set<ChildProcess>();
let isStopped = false;

/**
 * Runs a tool in the repository's root, its output to `write`.
 *
 * @returns undefined when its exit code is 0, else what happened, such as "exit code 1".
 */
export async function run(tool: string, args: readonly string[], write: Write): Promise<string | undefined> {
  if (isStopped) return "no start: the run was stopped";
  const signal = AbortSignal.timeout(stepDeadlineMs);
  // The shell sends messages and errors into one stream, so that they keep their order, and is then replaced by the
  // tool.
  const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', tool, ...args], {
    cwd: repositoryRoot,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
    signal,
    killSignal: "SIGKILL",
  });
  child.stdout.setEncoding("utf8").on("data", write);
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

/** Passes a stop signal on to the tools that are running; no further one starts. */
export function stopRunning(signal: NodeJS.Signals): void {
  isStopped = true;
  for (const child of running) child.kill(signal);
}

import { rmSync, writeFileSync, writeSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";

/**
 * Tells the parent something: a line of JSON on standard output, a pipe. It is in the kernel's hands when this returns,
 * so that a worker that is killed an instant later has still told what it was granted.
 */
export function tell(line: object): void {
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch (error) {
    // The parent is gone; that its pipe closed ends this process.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Set in the environment of the demo's processes. */
export const OF_DEMO = "DT_DEMO_PROCESS";

/**
 * What the parent says: lines on standard input, one at a time. When the parent has closed the pipe or died, `onGone`
 * runs and this process exits, whatever it does: nothing may stay behind.
 * @throws Error when the demo did not start this process
 */
export function orders(onGone: () => Promise<void> | void): () => Promise<string> {
  if (process.env[OF_DEMO] === undefined) throw new Error("this command is for the processes that dt starts itself");
  const early: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const next = waiting.shift();
    if (next) next(line);
    else early.push(line);
  });
  lines.once("close", () => void Promise.resolve(onGone()).finally(() => process.exit()));
  return () =>
    new Promise((resolve) => {
      const line = early.shift();
      if (line === undefined) waiting.push(resolve);
      else resolve(line);
    });
}

/** Removes the run's folder of temporary files; several processes may do so at once. */
export function removeScratch(folder: string | undefined): void {
  if (folder === undefined) return;
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch {
    // Another process is removing it, or still writes to it and will remove it.
  }
}

const RAISED = -10;

/**
 * Raises this process's priority, where the system allows it (to the superuser). The demo's processes stand for
 * machines of their own: on one machine they should wait as little as possible for whatever else it does. True when it
 * worked.
 */
export function raisePriority(): boolean {
  try {
    setPriority(RAISED);
  } catch {
    return false;
  }
  try {
    // Linux may group processes by session and weigh the groups first (sched(7), "The autogroup feature"); this process
    // leads its own.
    writeFileSync("/proc/self/autogroup", String(RAISED));
  } catch {
    // No such grouping here.
  }
  return true;
}

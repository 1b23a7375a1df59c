import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { stopRunning } from "./child.ts";
import { runSteps } from "./run-steps.ts";
import type { Step, Write } from "./step.ts";
import { isSuccess, lastLine, oneFailed, type Totals } from "./totals.ts";

/**
 * Runs the steps of a command of this repository, and ends this process: the last line counts everything, a signal ends
 * the tools that run.
 *
 * @param stepsOf the steps; they may put packed packages into the folder that they are given
 * @param onSuccess what is left to do when everything has passed
 */
export async function runCommand(
  stepsOf: (tarballs: string) => readonly Step[],
  onSuccess: (totals: Totals, write: Write) => void = () => {},
): Promise<void> {
  let stoppedBy: NodeJS.Signals | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      stoppedBy = signal;
      stopRunning(signal);
    });
  }
  const write: Write = (text) => process.stdout.write(text);
  const folder = await mkdtemp(join(tmpdir(), "dt-tarballs-"));
  // For tests that use the packages as published.
  Object.assign(process.env, { DT_TARBALLS: folder });

  const run = async (): Promise<Totals> => {
    try {
      const console = { now: () => performance.now(), write, isStopped: () => stoppedBy !== undefined };
      const { totals, firstFailed } = await runSteps(stepsOf(folder), console);
      // Last of all: what shows only the end of a long run shows this.
      if (totals.failures !== undefined) write(`Failed:\n${totals.failures.map((line) => `  ${line}\n`).join("")}`);
      if (firstFailed !== undefined) write(`The first step that failed: ${firstFailed}\n`);
      if (isSuccess(totals) && stoppedBy === undefined) onSuccess(totals, write);
      return totals;
    } catch (error) {
      write(`${error instanceof Error ? error.message : String(error)}\n`);
      return oneFailed;
    }
  };

  const totals = await run().finally(() => rm(folder, { recursive: true, force: true }));
  write(`${lastLine(totals)}\n`);
  process.exitCode = stoppedBy !== undefined ? 128 + constants.signals[stoppedBy] : isSuccess(totals) ? 0 : 1;
}

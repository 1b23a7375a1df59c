/** `npm test`: everything that must hold, or what must hold for the paths given, counted in the last line. */
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { stopRunning } from "./child.ts";
import { runSteps } from "./run-steps.ts";
import { everything } from "./steps/everything.ts";
import { ofPaths } from "./steps/of-paths.ts";
import { isSuccess, lastLine, oneFailed } from "./totals.ts";

let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stoppedBy = signal;
    stopRunning(signal);
  });
}

const write = (text: string) => process.stdout.write(text);
const paths = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "dt-tarballs-"));
// For tests that use the packages as published.
Object.assign(process.env, { DT_TARBALLS: folder });
const totals = await run().finally(() => rm(folder, { recursive: true, force: true }));
write(`${lastLine(totals)}\n`);
process.exitCode = stoppedBy !== undefined ? 128 + constants.signals[stoppedBy] : isSuccess(totals) ? 0 : 1;

async function run() {
  try {
    const steps = paths.length === 0 ? everything(folder) : ofPaths(paths);
    const console = { now: () => performance.now(), write, isStopped: () => stoppedBy !== undefined };
    const { totals, firstFailed } = await runSteps(steps, console);
    if (firstFailed !== undefined) write(`The first step that failed: ${firstFailed}\n`);
    return totals;
  } catch (error) {
    write(`${error instanceof Error ? error.message : String(error)}\n`);
    return oneFailed;
  }
}

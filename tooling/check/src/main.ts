/** `npm test`: everything that must hold, counted in the last line. */
import { rm } from "node:fs/promises";
import { constants } from "node:os";
import { stopRunning } from "./child.ts";
import { runSteps } from "./run-steps.ts";
import { packedSteps, tarballFolder } from "./steps/packed.ts";
import { tests } from "./steps/tests.ts";
import { toolStep } from "./steps/tool-step.ts";
import { isSuccess, lastLine } from "./totals.ts";

const turbo = ["--output-logs=errors-only", "--ui=stream"];

let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stoppedBy = signal;
    stopRunning(signal);
  });
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = await tarballFolder();
const { totals, firstFailed } = await runSteps(
  [
    toolStep("build", "turbo", ["run", "build", "--continue", ...turbo]),
    toolStep("typecheck", "tsc", ["-p", "tsconfig.json"]),
    toolStep("lint", "biome", ["ci", "--error-on-warnings", ...(process.stdout.isTTY ? [] : ["--colors=off"]), "."]),
    tests,
    ...packedSteps(folder),
  ],
  { now: () => performance.now(), print, isStopped: () => stoppedBy !== undefined },
);
await rm(folder, { recursive: true, force: true });

if (firstFailed !== undefined) print(`The first step that failed: ${firstFailed}`);
print(lastLine(totals));
process.exitCode = stoppedBy !== undefined ? 128 + constants.signals[stoppedBy] : isSuccess(totals) ? 0 : 1;

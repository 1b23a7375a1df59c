import type { Step } from "./step.ts";
import { add, isSuccess, none, oneFailed, oneSkipped, type Totals } from "./totals.ts";

export interface Outcome {
  readonly totals: Totals;
  /** Name of the first step that failed. */
  readonly firstFailed: string | undefined;
}

/** The clock and the printer of a run. */
export interface Console {
  /** Monotonic, in milliseconds. */
  now(): number;
  print(line: string): void;
  /** True once the run is to stop: no further step starts. */
  isStopped(): boolean;
}

/** Runs all steps in order, also after a failure, so that one run shows everything that is wrong. */
export async function runSteps(steps: readonly Step[], { now, print, isStopped }: Console): Promise<Outcome> {
  let totals = none;
  const failed: string[] = [];
  for (const step of steps) {
    if (isStopped()) {
      print(`--- ${step.name}: not started, the run was stopped`);
      totals = add(totals, oneSkipped);
      continue;
    }
    if (step.needs !== undefined && failed.includes(step.needs)) {
      print(`--- ${step.name}: skipped, because ${step.needs} failed`);
      totals = add(totals, oneSkipped);
      continue;
    }
    print(`--- ${step.name}`);
    const startedAt = now();
    const result = await runStep(step, print);
    if (!isSuccess(result)) failed.push(step.name);
    totals = add(totals, result);
    const seconds = ((now() - startedAt) / 1000).toFixed(1);
    print(`--- ${step.name}: ${isSuccess(result) ? "ok" : "FAILED"} in ${seconds} s`);
  }
  return { totals, firstFailed: failed[0] };
}

async function runStep(step: Step, print: (line: string) => void): Promise<Totals> {
  try {
    const result = await step.run();
    return result.passed === 0 && result.failed === 0 ? add(result, oneFailed) : result;
  } catch (error) {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return oneFailed;
  }
}

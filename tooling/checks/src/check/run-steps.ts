import type { Step, Write } from "./step.ts";
import { takeTurns } from "./take-turns.ts";
import { add, isSuccess, none, oneFailed, oneSkipped, type Totals } from "./totals.ts";

export interface Outcome {
  readonly totals: Totals;
  /** Name of the first step, in the order of the list, that failed. */
  readonly firstFailed: string | undefined;
}

/** The clock and the printer of a run. */
export interface Console {
  /** Monotonic, in milliseconds. */
  now(): number;
  write(text: string): void;
  /** True once the run is to stop: no further step starts. */
  isStopped(): boolean;
}

/**
 * Runs every step as soon as those that it waits for have ended, also after a failure, so that one run shows everything
 * that is wrong. What a step writes stays together, in the order of the list: the first step that has not ended is seen
 * while it runs.
 */
export async function runSteps(steps: readonly Step[], console: Console): Promise<Outcome> {
  const turns = takeTurns(steps.length, (text) => console.write(text));
  const ends = new Map<string, Promise<Totals>>();
  for (const [index, step] of steps.entries()) {
    const waitFor = [...(step.after ?? []), ...(step.needs === undefined ? [] : [step.needs])];
    const before = waitFor.map((name) => ends.get(name));
    if (before.includes(undefined)) throw new Error(`${step.name} waits for ${waitFor}, which must stand before it`);
    const needed = step.needs === undefined ? undefined : ends.get(step.needs);
    const run = async (): Promise<Totals> => {
      await Promise.all(before);
      const isLacking = needed !== undefined && !isSuccess(await needed);
      const { write, end } = turns[index] as (typeof turns)[number];
      const result = await runStep(step, isLacking, { ...console, write });
      end();
      return result;
    };
    ends.set(step.name, run());
  }
  const results = await Promise.all(ends.values());
  const failed = steps.find((_, index) => (results[index] as Totals).failed > 0);
  return { totals: results.reduce(add, none), firstFailed: failed?.name };
}

async function runStep(step: Step, isLacking: boolean, { now, write, isStopped }: Console): Promise<Totals> {
  if (isStopped() || isLacking) {
    write(
      `--- ${step.name}: ${isLacking ? `skipped, because ${step.needs} failed` : "not started, the run was stopped"}\n`,
    );
    return oneSkipped;
  }
  write(`--- ${step.name}\n`);
  const startedAt = now();
  const result = await resultOf(step, write);
  const seconds = ((now() - startedAt) / 1000).toFixed(1);
  write(`--- ${step.name}: ${isSuccess(result) ? "ok" : "FAILED"} in ${seconds} s\n`);
  return result;
}

async function resultOf(step: Step, write: Write): Promise<Totals> {
  try {
    const result = await step.run(write);
    return result.passed === 0 && result.failed === 0 ? add(result, oneFailed) : result;
  } catch (error) {
    write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return oneFailed;
  }
}

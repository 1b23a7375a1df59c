import { constants } from "node:os";

/** The run was stopped from outside. */
export class Interrupted extends Error {
  /** As shells have it: 128 and the number of the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs with a signal that aborts with {@link Interrupted} when the user or the system wants the process to stop, or
 * nobody reads its output.
 */
export async function untilInterrupted<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stopBy = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal));
  const onOutputError = (): void => stopBy("SIGPIPE");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stopBy);
  process.stdout.on("error", onOutputError);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stopBy);
    process.stdout.off("error", onOutputError);
  }
}

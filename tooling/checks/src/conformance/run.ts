import { constants } from "node:os";
import { HELP, matches, parseOptions, UsageError } from "./options.ts";
import { isSuccess, type Results, resultsText, type TargetResult } from "./results.ts";
import { runTarget } from "./run-target.ts";
import { type Entry, entries } from "./targets.ts";

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Runs what the command line asks for; returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const names = entries.map(({ target }) => target.name);
  try {
    const options = parseOptions(args, names);
    if (options.help) {
      process.stdout.write(`${HELP}\nTargets: ${names.join(", ")}\n`);
      return 0;
    }
    const { only } = options;
    const chosen = entries.filter(({ target }) => only.length === 0 || only.some((name) => matches(target.name, name)));
    const targets = await runAll(chosen);
    const results: Results = { targets };
    process.stdout.write(options.json ? `${JSON.stringify(results)}\n` : resultsText(results));
    return isSuccess(results) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(`error: ${error.message}`);
    return 2;
  }
}

/** One after the other. A signal stops the servers of the target that is running, and ends the process. */
async function runAll(chosen: readonly Entry[]): Promise<TargetResult[]> {
  const results: TargetResult[] = [];
  let running: Entry | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, async () => {
      say(`stopped by ${signal}`);
      await running?.target.stop?.().catch(() => {});
      process.exit(128 + constants.signals[signal]);
    });
  for (const entry of chosen) {
    running = entry;
    results.push(await runTarget(entry, say));
    running = undefined;
  }
  return results;
}

import type { ConformanceReport } from "@dt/conformance";
import { Command } from "commander";
import { type Filter, parseFilter } from "../conformance/filter.ts";
import { runTarget } from "../conformance/run-target.ts";
import { EXIT, Failure } from "../exit-code.ts";
import { Interrupted, untilInterrupted } from "../interruption.ts";
import { wholeNumber } from "../options.ts";
import { print, printJson, warn } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly json?: boolean;
  readonly seed: number;
  readonly concurrency: number;
}

/** How long the process may take to end by itself when all is done. */
const LINGER_MS = 1_000;

export const conformance: CommandDefinition = {
  define: () =>
    new Command("conformance")
      .summary("check a store of your own against the contract")
      .description(
        "Runs the conformance suite of @dt against a store. The target file is a module (ESM, CommonJS, TypeScript where Node strips types) whose default export, or export named target, is { name, capabilities, createStore, ... } or a function that returns it; its stop() is called at the end. Exit code 0: passed, 1: a rule is broken, 2: cannot be done as asked, 130: Ctrl-C.",
      )
      .argument("<target file>", "module that exports the target")
      .argument(
        "[filter]",
        "only cases of a rule (R7, P3), with this text in their name, or matching /an expression/",
        parseFilter,
      )
      .option("--json", "print the report as one JSON object, and progress on standard error")
      .option("--seed <n>", "seed of the random schedules", wholeNumber(0, 2 ** 32 - 1), 1)
      .option("--concurrency <n>", "cases that run at the same time", wholeNumber(1, 256), 8)
      .action(async (file: string, filter: Filter | undefined, { json = false, seed, concurrency }: Flags) => {
        const restoreStdout = keepStdoutForReport();
        try {
          const report = await withStrayErrors((stray) =>
            untilInterrupted((signal) =>
              runTarget(file, { filter, seed, concurrency }, Promise.race([stray, abortOf(signal)])),
            ),
          );
          restoreStdout();
          if (json) printJson(report);
          else print(reportText(report));
          process.exitCode = report.failed === 0 && report.passed > 0 ? EXIT.ok : EXIT.failed;
        } catch (error) {
          if (!(error instanceof Interrupted)) throw error;
          warn(`${error.message}; the suite was not finished\n`);
          // Cases are still running; nobody waits for them.
          process.exit(error.exitCode);
        } finally {
          restoreStdout();
          endSoon(file);
        }
      }),
};

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** Ends the process when something that the target left behind would keep it alive. */
function endSoon(file: string): void {
  setTimeout(() => {
    warn(`${file}: something that it started keeps the process alive; end it in the target's stop()\n`);
    process.exit();
  }, LINGER_MS).unref();
}

/**
 * Sends what target files and stores print to standard error, until the function returned is called: standard output is
 * for the report alone.
 */
function keepStdoutForReport(): () => void {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.stdout.write = write;
  };
}

/** A report for people: failures with their history, then what was skipped and why, then the counts. */
function reportText(report: ConformanceReport): string {
  const { target, seed, passed, failed, skipped, failures, ms } = report;
  const parts = failures.map(
    ({ case: name, rule, message }) => `FAILED ${rule}: ${name}\n\n  ${message.replaceAll(/\n(?=.)/g, "\n  ")}\n`,
  );
  if (skipped.length > 0) parts.push(["Skipped:", ...skipLines(skipped), ""].join("\n"));
  const broken = [...new Set(failures.map(({ rule }) => rule))];
  const verdict = failed > 0 ? `breaks ${broken.join(", ")}` : passed > 0 ? "passed" : "not checked: no case could run";
  parts.push(
    `${target}: ${verdict}\n${passed} passed, ${failed} failed, ${skipped.length} skipped in ${(ms / 1_000).toFixed(1)} s (seed ${seed})\n`,
  );
  return parts.join("\n");
}

/** One line for each reason, with the cases below. */
function skipLines(skipped: ConformanceReport["skipped"]): string[] {
  const reasons = [...new Set(skipped.map(({ why }) => why))];
  return reasons.flatMap((reason) => [
    `  ${reason}:`,
    ...skipped.filter(({ why }) => why === reason).map(({ case: name }) => `    ${name}`),
  ]);
}

/**
 * Runs with a promise that rejects when an error turns up outside of any call: an unhandled rejection, an "error" event
 * without a listener. Node would end the process on the spot and with it the chance to end servers.
 */
async function withStrayErrors<T>(run: (stray: Promise<never>) => Promise<T>): Promise<T> {
  let onError: (error: unknown) => void = () => {};
  const stray = new Promise<never>((_, reject) => {
    onError = (error) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      reject(new Failure(`an error that no call was answered with, so that no caller could handle it: ${text}`));
    };
  });
  process.on("uncaughtException", onError);
  try {
    return await run(stray);
  } finally {
    process.off("uncaughtException", onError);
  }
}

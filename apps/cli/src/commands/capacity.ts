import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { callerOf } from "../capacity/call.ts";
import { type Measured, measure } from "../capacity/measure.ts";
import { type CapacityReport, plotOf, reportOf, textOf } from "../capacity/report.ts";
import type { Objective, Step } from "../capacity/step.ts";
import { checkTarget, readHeaders } from "../capacity/target.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { untilInterrupted } from "../interruption.ts";
import { durationOption, wholeNumber } from "../options.ts";
import { print, printJson, warn } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly url: string;
  readonly p50?: number;
  readonly p90?: number;
  readonly p99?: number;
  readonly lose: number;
  readonly from: number;
  readonly to: number;
  readonly precision: number;
  readonly step: number;
  readonly arrivals: "even" | "poisson";
  readonly maxCalls: number;
  readonly maxInflight: number;
  readonly timeout?: number;
  readonly method: string;
  readonly header: readonly string[];
  readonly body?: string;
  readonly mayOverload?: string;
  readonly out?: string;
  readonly json?: boolean;
}

export const capacity: CommandDefinition = {
  define: () =>
    new Command("capacity")
      .summary("measure how many calls a second a service takes before it answers too late")
      .description(
        "Sends more and more calls a second to a service until it no longer answers them as quickly as you ask. Then it looks for the knee between the last two rates. Prints for each rate what was answered (R), how long it took (L) and how much was in flight (P), by Little's law R x L. Exit code 0: the knee was found, 1: it was not, 2: cannot be done as asked, 130: interrupted, with what was measured until then.",
      )
      .requiredOption("--url <url>", "the service; it will be overloaded")
      .option("--p50 <duration>", "half of the calls are to be answered within this", durationOption)
      .option("--p90 <duration>", "nine of ten are", durationOption)
      .option("--p99 <duration>", "99 of 100 are (default: 200ms, if none of the three is given)", durationOption)
      .option("--lose <percent>", "calls that may fail, be refused or not be answered", percentage, 0.01)
      .option("--from <rate>", "first rate, in calls a second", rate, 10)
      .option("--to <rate>", "highest rate", rate, 10_000)
      .option("--precision <percent>", "how exactly the knee is to be known", percentage, 0.05)
      .option(
        "--step <duration>",
        "how long each rate is tried; longer where more calls are needed to decide",
        durationOption,
        5_000,
      )
      .addOption(
        new Option("--arrivals <how>", "evenly spaced, or at random as independent users come")
          .choices(["poisson", "even"])
          .default("poisson"),
      )
      .option("--max-calls <n>", "send no more than so many in all", wholeNumber(1, 1e9), 1_000_000)
      .option("--max-inflight <n>", "a rate with more in flight is lost", wholeNumber(1, 100_000), 1_000)
      .option(
        "--timeout <duration>",
        "a call without an answer is lost (default: ten times what is asked for, at least 1s)",
        durationOption,
      )
      .option("--method <method>", "", "GET")
      .option(
        "--header <line>",
        "a header as 'Name: value'; may be given often",
        (line: string, all: readonly string[]) => [...all, line],
        [],
      )
      .option("--body <text>", "what each call sends")
      .option("--may-overload <host>", "the host of --url, if it is not this machine: you are allowed to overload it")
      .option("--out <folder>", "write dt-capacity.svg there")
      .option("--json", "print the result as one JSON object")
      .action(runCapacity),
};

async function runCapacity(flags: Flags): Promise<void> {
  const { from, to, out, json = false } = flags;
  const objective = objectiveOf(flags);
  const url = checkTarget(flags.url, flags.mayOverload);
  const headers = readHeaders(flags.header);
  if (from > to) throw new UsageError(`--from ${from} is more than --to ${to}`);
  if (out !== undefined && !existsSync(out)) throw new UsageError(`--out ${out}: there is no folder ${resolve(out)}`);
  const timeoutMs = flags.timeout ?? Math.max(1_000, 10 * objective.withinMs);
  if (timeoutMs < objective.withinMs)
    throw new UsageError(`--timeout ${timeoutMs} ms is shorter than what is asked for, ${objective.withinMs} ms`);
  const caller = callerOf({ url, method: flags.method, headers, body: flags.body, timeoutMs });
  let interrupted: number | undefined;
  let measured: Measured;
  try {
    measured = await untilInterrupted((signal) => {
      signal.addEventListener("abort", () => {
        interrupted = (signal.reason as { readonly exitCode: number }).exitCode;
      });
      return measure(planOf(flags, objective), caller, signal, ({ rate: next, seconds, last }) =>
        warn(progress(next, seconds, last)),
      );
    });
  } finally {
    caller.close();
  }
  const report = reportOf(url, objective, measured);
  if (json) printJson(report);
  else print(textOf(report));
  if (out !== undefined) writePlot(join(out, "dt-capacity.svg"), report, json);
  process.exitCode = interrupted ?? (report.capacity !== null && report.failsAt !== null ? EXIT.ok : EXIT.failed);
}

/** @throws UsageError when two are asked for */
function objectiveOf({ p50, p90, p99, lose: mayLose }: Flags): Objective {
  const asked = Object.entries({ 0.5: p50, 0.9: p90, 0.99: p99 }).filter(([, ms]) => ms !== undefined);
  if (asked.length > 1) throw new UsageError("give one of --p50, --p90 and --p99");
  const [[quantile, withinMs = 200] = ["0.99"]] = asked;
  return { quantile: Number(quantile), withinMs, mayLose };
}

function planOf({ from, to, precision, step, arrivals, maxCalls, maxInflight }: Flags, objective: Objective) {
  const range = { from, to, precision };
  const random = Math.random;
  return { range, objective, stepMs: step, arrivals, mostCalls: maxCalls, mostInflight: maxInflight, random };
}

function progress(next: number, seconds: number, last: Step | undefined): string {
  const before =
    last &&
    `${last.rate.toFixed(1)}/s: p50 ${last.p50Ms.toFixed(1)} ms, p99 ${last.p99Ms.toFixed(1)} ms, lost ${(100 * last.lost).toFixed(1)} %. `;
  return `${before ?? ""}Trying ${next.toFixed(1)} calls a second for ${seconds.toFixed(0)} s\n`;
}

function writePlot(file: string, report: CapacityReport, json: boolean): void {
  writeFileSync(file, plotOf(report));
  if (!json) print(`Plot: ${file}\n`);
}

function percentage(text: string): number {
  const value = Number(text.replace(/ ?%$/, ""));
  if (value > 0 && value < 100) return value / 100;
  throw new InvalidArgumentError("Give a percentage of more than 0 and less than 100.");
}

function rate(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError("Give calls a second, of more than 0 and at most 100000.");
}

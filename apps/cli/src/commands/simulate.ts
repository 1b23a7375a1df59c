import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packageName } from "@dt/core/internal";
import { aligned, LIMITER_FORMS, percent, scenarios } from "@dt-tooling/simulator/callee";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { wholeNumber } from "../options.ts";
import { plotsOf } from "../simulate/plots.ts";
import { limitersNamed, openScenario, type Simulated, simulate as simulated } from "../simulate/simulation.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly algorithm: string;
  readonly scenario: string;
  readonly seed: number;
  readonly seconds?: number;
  readonly out?: string;
  readonly json?: boolean;
}

export const simulate: CommandDefinition = {
  define: () =>
    new Command("simulate")
      .summary("see what a concurrency limit does to a service under load, in virtual time")
      .description(
        `Runs the limits of ${packageName("adaptive")} against a simulated service, with each algorithm on the same calls; prints a table and writes a picture of limit, calls in flight, latency and goodput over time. Exit code 0: done, 2: cannot be done as asked.`,
      )
      .option("--scenario <name>", "one of those below, or a JSON file of your own", "burst")
      .option(
        "--algorithm <names>",
        `what the clients use, separated by commas: ${LIMITER_FORMS}`,
        "none,automatic,automatic+signal",
      )
      .option("--seed <n>", "seed of the calls", wholeNumber(0, 2 ** 32 - 1), 1)
      .option(
        "--seconds <n>",
        "end after so many seconds of virtual time (default: the scenario's)",
        wholeNumber(1, 36_000),
      )
      .option("--out <folder>", "where to write dt-simulate-<scenario>.svg (default: here, with --json nowhere)")
      .option("--json", "print verdicts and the numbers of every second as one JSON object")
      .addHelpText(
        "after",
        `\nScenarios:\n${scenarios.map(({ name, title }) => `  ${name.padEnd(16)} ${title}`).join("\n")}\n`,
      )
      .action(runSimulate),
};

function runSimulate({ algorithm, scenario: name, seed, seconds, out, json = false }: Flags): void {
  const limiters = limitersNamed(algorithm);
  const scenario = openScenario(name, seconds);
  const folder = out ?? (json ? undefined : ".");
  if (folder !== undefined && !existsSync(folder))
    throw new UsageError(`--out ${out}: there is no folder ${resolve(folder)}`);
  const results = simulated(scenario, limiters, seed);
  if (json) printJson({ scenario, seed, results });
  else print(`${scenario.title}\n${tableOf(results)}\n`);
  if (folder === undefined) return;
  const file = join(folder, `dt-simulate-${scenario.name}.svg`);
  writeFileSync(file, plotsOf(scenario, seed, results));
  if (!json) print(`Plots: ${file}\n`);
}

const HEAD = ["", "goodput", "p99", "settles", "Jain", "sent", "timeouts", "refused", "after", ""];

/** A line for each algorithm. */
function tableOf(simulated: readonly Simulated[]): string {
  return aligned([
    HEAD,
    ...simulated.map(({ algorithm, verdict }) => {
      const { goodput, p99, settleSeconds, jain, sent, timeouts, refused, afterwards } = verdict;
      return [
        algorithm,
        percent(goodput),
        Number.isNaN(p99) ? "-" : `x ${p99.toFixed(2)}`,
        `${settleSeconds.toFixed(1)} s`,
        jain.toFixed(3),
        percent(sent),
        percent(timeouts),
        percent(refused),
        Number.isNaN(afterwards) ? "" : percent(afterwards),
        "",
      ];
    }),
  ]);
}

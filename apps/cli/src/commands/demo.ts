import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Release } from "@dt/core";
import { Command, Option } from "commander";
import { type DemoOptions, runDemo } from "../demo/run-demo.ts";
import { defaultHeadroom, SHORTEST_SECONDS } from "../demo/timings.ts";
import { UsageError } from "../exit-code.ts";
import { Interrupted, untilInterrupted } from "../interruption.ts";
import { wholeNumber } from "../options.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { warn } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

const DEFAULT_SVG = "dt-demo.svg";

/** What commander makes of the command line. */
interface Flags {
  readonly max: number;
  readonly workers: number;
  readonly seconds: number;
  readonly release: Release;
  readonly headroom?: number;
  readonly store?: StoreAddress;
  readonly svg?: string | false;
  readonly json?: true;
}

export const demo: CommandDefinition = {
  define: ({ entry }) =>
    new Command("demo")
      .summary("see a fleet of processes stay inside a shared limit")
      .description(
        "Runs two fleets of real processes side by side. Each fleet calls an HTTP server of its own, which takes --max calls in any sliding second and answers 429 beyond. The processes of one fleet share the limit through a store; in the other, each process has a fixed part of it. In both, a process joins, one is killed (SIGKILL), one leaves. Then reports how well the limit was kept and used. Exit code 0: passed, 1: not, 2: cannot be done as asked, 130: Ctrl-C.",
      )
      .option("--seconds <n>", "how long the load lasts", wholeNumber(SHORTEST_SECONDS, 3_600), 30)
      .option("--max <n>", "calls that each server takes in any sliding second", wholeNumber(2, 10_000), 100)
      .option("--workers <n>", "processes of each fleet at the start", wholeNumber(2, 32), 4)
      .addOption(
        new Option(
          "--release <how>",
          "when the tokens of a share become available: evenly over the epoch, or at its start",
        )
          .choices(["even", "epoch"] satisfies Release[])
          .default("even"),
      )
      .option(
        "--headroom <tokens>",
        "tokens of --max left unused for arrival jitter (default: 3 % of --max with --release even, else 0)",
        wholeNumber(0, 10_000),
      )
      .option(
        "--store <address>",
        `${STORE_FORMS} (default: an SQLite file that is removed at the end)`,
        parseStoreAddress,
      )
      .option("--svg <file>", `write both fleets as a picture (default: ${DEFAULT_SVG}, with --json none)`)
      .option("--no-svg", "write no picture")
      .option("--json", "print the result as one JSON object, and progress on standard error")
      .action(async (flags: Flags) => {
        const options = checkFlags(flags);
        try {
          process.exitCode = await untilInterrupted((signal) => runDemo(options, entry, signal));
        } catch (error) {
          if (!(error instanceof Interrupted)) throw error;
          warn(`${error.message}; nothing is left behind\n`);
          process.exitCode = error.exitCode;
        }
      }),
};

function checkFlags(flags: Flags): DemoOptions {
  const { max, release, json = false, store } = flags;
  const headroom = flags.headroom ?? (release === "even" ? defaultHeadroom(max) : 0);
  if (headroom >= max)
    throw new UsageError(`--headroom ${headroom} leaves nothing of --max ${max}; give less than ${max}`);
  const svg = flags.svg ?? (json ? false : DEFAULT_SVG);
  if (svg !== false) checkWritable(svg);
  const { workers, seconds } = flags;
  return { max, headroom, workers, seconds, release, store, svg: svg || undefined, json };
}

/** Found out before half a minute of load, not after it. */
function checkWritable(file: string): void {
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new UsageError(`--svg ${file}: there is no folder ${folder}`);
  const there = existsSync(file);
  if (there && !statSync(file).isFile()) throw new UsageError(`--svg ${file} is no file; give the name of a file`);
  try {
    accessSync(there ? file : folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--svg ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

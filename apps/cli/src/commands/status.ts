import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT, Failure, UsageError } from "../exit-code.ts";
import { notThere } from "../fleet/nearest-limiter.ts";
import { readFleet } from "../fleet/read-fleet.ts";
import type { ReadOptions } from "../fleet/read-options.ts";
import type { FleetReport } from "../fleet/report.ts";
import { SORTS, type Sort, sortLimiters } from "../fleet/sort.ts";
import { statusText } from "../fleet/status-text.ts";
import { watch } from "../fleet/watch.ts";
import { Interrupted, untilInterrupted } from "../interruption.ts";
import { durationOption, wholeNumber } from "../options.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { LIMITER_KINDS, type LimiterKind } from "../stores/limiter.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { mayLoseReader, print } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

const WATCH_SECONDS = 2;

const EXIT_CODES = `
Exit codes:
  0    nothing is wrong: limits are used up, or not
  1    the store cannot be read, or there is no limiter of this name
  2    cannot be done as asked
  3    something needs attention: a member that is silent or fenced, a damaged row, members whose limits differ, ...
  130  Ctrl-C ends --watch (143: SIGTERM)
`;

const EXAMPLES = `
Examples:
  dt status redis://localhost:6379                        the verdict, and a table of all limiters
  dt status redis://localhost:6379 payments               one limiter: its members, and the reason for each share
  dt status redis://localhost:6379 api --key tenant-17    one key of a keyed limit
  dt status redis://localhost:6379 --watch 1              again every second
  dt status redis://localhost:6379 --json                 one line of JSON, for scripts
`;

/** What commander makes of the command line. */
interface Flags {
  readonly kind?: LimiterKind;
  readonly key?: string;
  readonly keys: number;
  readonly sort: Sort;
  readonly silentAfter: number;
  readonly watch?: number | true;
  readonly json?: boolean;
}

export const status: CommandDefinition = {
  define: () =>
    new Command("status")
      .summary("a verdict on the fleet, and all of its limiters; or one of them, with its members")
      .description(
        "Shows first what matters most. Then come all throttles, pacers, semaphores, budgets and keyed limits that the store knows. With a name it shows those of this name in full: members, limits, and who changed a limit in the store. Reads only, while the fleet runs.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[name]", "the limiters of this name alone, in full")
      .addOption(new Option("--kind <kind>", "this kind alone").choices(LIMITER_KINDS))
      .option("--key <text>", "of a keyed limit: this key alone, such as a tenant")
      .option(
        "--keys <count>",
        "keys of keyed limits to look at; the others are counted",
        wholeNumber(1, 1_000_000),
        1_000,
      )
      .addOption(new Option("--sort <by>", "state has the worst first").choices(SORTS).default("state"))
      .option("--silent-after <time>", "a member that reports nothing for so long is silent", silenceOption, 3_000)
      .option(
        "--watch [seconds]",
        `again and again, every ${WATCH_SECONDS} s where nothing else is given`,
        wholeNumber(1, 3_600),
      )
      .option("--json", "print the report as one line of JSON; with --watch a line each time")
      .addHelpText("after", EXIT_CODES + EXAMPLES)
      .action(async (address: StoreAddress, name: string | undefined, flags: Flags) => {
        const only = onlyOf(name, flags);
        mayLoseReader();
        try {
          process.exitCode = await untilInterrupted((signal) =>
            lookInStore(address, (store) => show(store, address, only, flags, signal)),
          );
        } catch (error) {
          if (!(error instanceof Interrupted)) throw error;
          process.exitCode = error.exitCode;
        }
      }),
};

/** @throws UsageError */
function onlyOf(name: string | undefined, { kind, key }: Flags): NonNullable<ReadOptions["only"]> {
  if (key === undefined) return { ...(kind && { kind }), ...(name !== undefined && { name }) };
  if (name === undefined)
    throw new UsageError("--key needs the keyed limit's name, as in: dt status <store> api --key a");
  if (kind !== undefined && kind !== "keyed")
    throw new UsageError(`--key is for keyed limits alone, and not for a ${kind}`);
  return { kind: "keyed", name, key };
}

async function show(
  store: AnyStore,
  address: StoreAddress,
  only: NonNullable<ReadOptions["only"]>,
  flags: Flags,
  signal: AbortSignal,
): Promise<number> {
  const { keys, sort, silentAfter: silentAfterMs, json = false } = flags;
  const read = (): Promise<FleetReport> => readFleet(store, address, { only, keys, silentAfterMs, signal });
  const textOf = (report: FleetReport): string =>
    json
      ? `${JSON.stringify({ ...report, limiters: sortLimiters(report.limiters, sort) })}\n`
      : statusText(report, sort, only.name !== undefined);
  if (flags.watch !== undefined)
    return watch({ read, textOf, isLines: json }, 1_000 * (flags.watch === true ? WATCH_SECONDS : flags.watch), signal);
  const report = await read();
  const isThere = only.name === undefined || report.limiters.length > 0;
  if (json || isThere) print(textOf(report));
  if (!isThere) throw new Failure(await notThere(store, only));
  return report.state === "attention" ? EXIT.attention : EXIT.ok;
}

/** @throws InvalidArgumentError */
function silenceOption(text: string): number {
  const ms = durationOption(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError("Give a time of more than 0, such as 3s.");
}

import type { LimitRecord } from "@dt/core";
import { Command, InvalidArgumentError } from "commander";
import { UsageError } from "../exit-code.ts";
import { durationUpTo } from "../options.ts";
import { inStore, lookInStore } from "../stores/in-store.ts";
import { type ChangeOptions, changeLimit, checkLimits, thisUser } from "../stores/limit-change.ts";
import { limitText, recordText } from "../stores/limit-text.ts";
import { parseLimit, partOf, targetOf, valuesNow } from "../stores/limit-values.ts";
import { type LimitName, parseLimitName } from "../stores/limiter.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly key?: string;
  readonly json?: boolean;
  readonly reason?: string;
  readonly for?: number;
  readonly by?: string;
  readonly percent?: number;
  readonly burst?: number;
  readonly concurrent?: number;
}

const KINDS = "throttle, pacer, semaphore, budget or keyed; or learned: what an adaptive limiter found out";
const KEY = "of a keyed limit: the one key, such as a tenant (without it: all keys that have no limit of their own)";
const OTHERWISE = "the limit was not changed";

export const limit: CommandDefinition = {
  define: () =>
    new Command("limit")
      .summary("show, set or remove a limit that lives in the store, while the fleet runs")
      .description(
        "A limiter with `stored: true` takes its limit from the store, and the value in the code only where the store has none. A new limit holds in the store at once, and in a process from its next sync. What was used is not forgotten.",
      )
      .addCommand(get())
      .addCommand(set())
      .addCommand(remove()),
};

function get(): Command {
  return ofLimit(new Command("get"))
    .summary("the limit that counts, who set it, and its last 20 changes")
    .description(
      "Shows the limit that counts, who set it and why, and its last 20 changes. Reads only. Exit code 0: done, 1: the store cannot be read, 2: cannot be done as asked.",
    )
    .option("--json", "print one JSON object { kind, name, limit, record }, with null for what is not there")
    .action((address: StoreAddress, kind: string, name: string, flags: Flags) => {
      const limiter = limiterOf("limit get", kind, name, flags);
      return lookInStore(address, async (store) => {
        checkLimits(store);
        const [record, values] = [await store.readLimit?.(targetOf(limiter)), await valuesNow(store, limiter)];
        if (flags.json) printJson({ ...limiter, limit: values ?? null, record: record ?? null });
        else print(recordText(limiter, values, record));
      });
    });
}

function set(): Command {
  return ofLimit(new Command("set"))
    .summary("set a limit, for good or for some time")
    .description(
      "Sets the limit of a limiter with `stored: true`. Exit code 0: done, 1: the store cannot be used, 2: cannot be done as asked.",
    )
    .argument(
      "[limit]",
      "a rate such as 200/s; of a semaphore the slots, such as 30; of a budget requests=600,tokens=60000",
    )
    .option("--percent <part>", "in place of a limit: so many percent of the one that counts now", percentOf)
    .option("--burst <units>", "of a pacer or a keyed limit: what may come at once", wholeOf)
    .option("--concurrent <calls>", "of a keyed limit: calls in flight of a key", wholeOf)
    .option(
      "--for <time>",
      "afterwards the value in the code counts again, as in 2h",
      durationUpTo(366 * 86_400_000, "366d"),
    )
    .option("--reason <text>", "why, for the history")
    .option("--by <name>", "who, for the history (default: the user and the host)")
    .option("--json", "print one JSON object { kind, name, limit, record }")
    .action((address: StoreAddress, kind: string, name: string, text: string | undefined, flags: Flags) => {
      const limiter = limiterOf("limit set", kind, name, flags);
      if (limiter.kind === "learned")
        throw new UsageError("what was learned is not set; remove it, and processes that start learn anew");
      const { percent } = flags;
      if ((text === undefined) === (percent === undefined))
        throw new UsageError("give either a limit, such as 200/s, or --percent");
      const given = text === undefined ? undefined : parseLimit(limiter, text, flags);
      return inStore(address, OTHERWISE, async (store) => {
        checkLimits(store);
        const values = given ?? (await partOf(store, limiter, percent as number));
        report(limiter, await changeLimit(store, limiter, values, optionsOf(flags)), flags);
      });
    });
}

function remove(): Command {
  return ofLimit(new Command("remove"))
    .summary("remove a limit: the value in the code counts again")
    .description(
      "Removes the limit that the store has, so that the value in the code counts again. Exit code 0: done, 1: the store cannot be used, 2: cannot be done as asked.",
    )
    .option("--reason <text>", "why, for the history")
    .option("--by <name>", "who, for the history (default: the user and the host)")
    .option("--json", "print one JSON object { kind, name, limit, record }")
    .action((address: StoreAddress, kind: string, name: string, flags: Flags) => {
      const limiter = limiterOf("limit remove", kind, name, flags);
      return inStore(address, OTHERWISE, async (store) => {
        checkLimits(store);
        report(limiter, await changeLimit(store, limiter, undefined, optionsOf(flags)), flags);
      });
    });
}

/** Arguments and options that all three have. */
function ofLimit(command: Command): Command {
  return command
    .argument("<store>", STORE_FORMS, parseStoreAddress)
    .argument("<kind>", KINDS)
    .argument("<name>", "the limiter's name")
    .option("--key <text>", KEY);
}

function limiterOf(command: string, kind: string, name: string, { key }: Flags): LimitName {
  const limiter = parseLimitName(command, kind, name);
  if (key === undefined) return limiter;
  if (limiter.kind !== "keyed") throw new UsageError("--key is for keyed limits alone");
  return { ...limiter, key };
}

function optionsOf({ by = thisUser(), reason, for: forMs }: Flags): ChangeOptions {
  return { by, why: reason, forMs };
}

function report(limiter: LimitName, record: LimitRecord, { json }: Flags): void {
  if (json) printJson({ ...limiter, limit: record.inForce ? record.values : null, record });
  else print(`${limitText(limiter, record.inForce ? record.values : undefined, record)}\n`);
}

function percentOf(text: string): number {
  const percent = Number(text.replace(/%$/, ""));
  if (percent > 0 && percent <= 10_000) return percent;
  throw new InvalidArgumentError("Give a number of percent, such as 50.");
}

function wholeOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number >= 1.");
}

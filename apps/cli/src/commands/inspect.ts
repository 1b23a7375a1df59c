import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { isLedger, type LedgerKind, type LimiterKind, parseLimiter, storedName } from "../stores/limiter.ts";
import { budgetText, nothingText, pacerText, semaphoreText, throttleText } from "../stores/snapshot-text.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly json?: boolean;
}

export const inspect: CommandDefinition = {
  define: () =>
    new Command("inspect")
      .summary(
        "who uses a throttle or a semaphore and holds what, what a pacer has reserved, or what is spent of a budget",
      )
      .description(
        "Shows what a store keeps of a limiter. Of a throttle: its capacity, and which members it has and how much each holds. Of a semaphore: the most slots in use, and which members hold slots and wait for some. Of a pacer: up to when it is reserved, in which terms, and how many wait. Of a budget: what is spent of each limit, and how many leases are not settled. Reads only, while the fleet runs. Exit code 0: done, also where there is no such limiter; 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle, pacer, semaphore or budget")
      .argument("[name]", "the limiter's name")
      .option("--json", "print the snapshot as one JSON object, or null where nothing is there")
      .action(async (address: StoreAddress, givenKind?: string, givenName?: string, { json = false }: Flags = {}) => {
        const { kind, name } = parseLimiter("inspect", givenKind, givenName);
        print(await lookInStore(address, (store) => textOf(store, kind, name, json)));
      }),
};

function textOf(store: AnyStore, kind: LimiterKind, name: string, json: boolean): Promise<string> {
  if (isLedger(kind)) return ledgerOf(store, kind, name, json);
  return kind === "pacer" ? pacerOf(store, name, json) : budgetOf(store, name, json);
}

/** Of a throttle or a semaphore. */
async function ledgerOf(store: AnyStore, kind: LedgerKind, name: string, json: boolean): Promise<string> {
  const { group: _, ...snapshot } = await store.inspect(storedName(kind, name));
  const isThere = snapshot.generation > 0;
  if (json) return jsonText(isThere && { kind, name, ...snapshot });
  if (!isThere) return `There is no ${kind} ${JSON.stringify(name)}.\n`;
  return kind === "throttle" ? throttleText(name, snapshot) : semaphoreText(name, snapshot);
}

async function pacerOf(store: AnyStore, name: string, json: boolean): Promise<string> {
  if (store.inspectPermits === undefined) throw new UsageError("this store cannot show what a pacer has reserved");
  const snapshot = await store.inspectPermits(name);
  if (json) {
    if (snapshot === undefined) return jsonText(false);
    const { key, ...rest } = snapshot;
    return jsonText({ kind: "pacer", name: key, ...rest });
  }
  return snapshot ? pacerText(snapshot) : nothingText({ kind: "pacer", name });
}

async function budgetOf(store: AnyStore, name: string, json: boolean): Promise<string> {
  if (store.inspectBudget === undefined) throw new UsageError("this store cannot show what is spent of a budget");
  const snapshot = await store.inspectBudget(name);
  if (json) {
    if (snapshot === undefined) return jsonText(false);
    const { budget, ...rest } = snapshot;
    return jsonText({ kind: "budget", name: budget, ...rest });
  }
  return snapshot ? budgetText(snapshot) : nothingText({ kind: "budget", name });
}

function jsonText(shown: object | false): string {
  return `${JSON.stringify(shown || null)}\n`;
}

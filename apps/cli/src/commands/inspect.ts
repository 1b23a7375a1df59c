import type { BucketRef } from "@dt/core";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { isLedger, type LedgerKind, type LimiterName, parseLimiter, storedName, withKey } from "../stores/limiter.ts";
import {
  bucketText,
  budgetText,
  nothingText,
  pacerText,
  semaphoreText,
  throttleText,
} from "../stores/snapshot-text.ts";
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
        "who uses a throttle or a semaphore and holds what, what a pacer has reserved, or what is spent of a budget or a key",
      )
      .description(
        "Shows what a store keeps of a limiter. Of a throttle: its capacity, and which members it has and how much each holds. Of a semaphore: the most slots in use, and which members hold slots and wait for some. Of a pacer: up to when it is reserved, in which terms, and how many wait. Of a budget: what is spent of each limit, and how many leases are not settled. Of a key of a keyed limit: what is left of it. Reads only, while the fleet runs. Exit code 0: done, also where there is no such limiter; 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle, pacer, semaphore, budget or keyed")
      .argument("[name]", "the limiter's name")
      .argument("[key]", "of a keyed limit: the key, such as a tenant")
      .option("--json", "print the snapshot as one JSON object, or null where nothing is there")
      .action(
        async (
          address: StoreAddress,
          givenKind?: string,
          givenName?: string,
          givenKey?: string,
          { json = false }: Flags = {},
        ) => {
          const limiter = withKey("inspect", parseLimiter("inspect", givenKind, givenName), givenKey);
          print(await lookInStore(address, (store) => textOf(store, limiter, json)));
        },
      ),
};

function textOf(store: AnyStore, { kind, name, key }: LimiterName, json: boolean): Promise<string> {
  if (isLedger(kind)) return ledgerOf(store, kind, name, json);
  if (kind === "keyed") return bucketOf(store, { name, key: key as string }, json);
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

async function bucketOf(store: AnyStore, { name, key }: BucketRef, json: boolean): Promise<string> {
  if (store.inspectBucket === undefined) throw new UsageError("this store cannot show what is left of a key");
  const snapshot = await store.inspectBucket({ name, key });
  if (json) return jsonText(snapshot !== undefined && { kind: "keyed", ...snapshot });
  return snapshot ? bucketText(snapshot) : nothingText({ kind: "keyed", name, key });
}

function jsonText(shown: object | false): string {
  return `${JSON.stringify(shown || null)}\n`;
}

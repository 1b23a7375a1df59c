import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { parseLimiter } from "../stores/limiter.ts";
import { pacerText, throttleText } from "../stores/snapshot-text.ts";
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
      .summary("who uses a throttle and holds what, or what a pacer has reserved")
      .description(
        "Shows what a store keeps of a limiter. Of a throttle: its capacity, and which members it has and how much each holds. Of a pacer: up to when it is reserved, in which terms, and how many wait. Reads only, while the fleet runs. Exit code 0: done, also where there is no such limiter; 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle or pacer")
      .argument("[name]", "the limiter's name")
      .option("--json", "print the snapshot as one JSON object, or null where nothing is there")
      .action(async (address: StoreAddress, givenKind?: string, givenName?: string, { json = false }: Flags = {}) => {
        const { kind, name } = parseLimiter("inspect", givenKind, givenName);
        const look = kind === "throttle" ? throttleOf : pacerOf;
        print(await lookInStore(address, (store) => look(store, name, json)));
      }),
};

async function throttleOf(store: AnyStore, name: string, json: boolean): Promise<string> {
  const snapshot = await store.inspect(name);
  const isThere = snapshot.generation > 0;
  const { group, ...rest } = snapshot;
  if (json) return jsonText(isThere && { kind: "throttle", name: group, ...rest });
  return isThere ? throttleText(snapshot) : `There is no throttle ${JSON.stringify(name)}.\n`;
}

async function pacerOf(store: AnyStore, name: string, json: boolean): Promise<string> {
  if (store.inspectPermits === undefined) throw new UsageError("this store cannot show what a pacer has reserved");
  const snapshot = await store.inspectPermits(name);
  if (json) {
    if (snapshot === undefined) return jsonText(false);
    const { key, ...rest } = snapshot;
    return jsonText({ kind: "pacer", name: key, ...rest });
  }
  return snapshot ? pacerText(snapshot) : `Nothing is reserved of the pacer ${JSON.stringify(name)}.\n`;
}

function jsonText(shown: object | false): string {
  return `${JSON.stringify(shown || null)}\n`;
}

import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { groupText, keyText } from "../stores/snapshot-text.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly key?: string;
  readonly json?: boolean;
}

export const inspect: CommandDefinition = {
  define: () =>
    new Command("inspect")
      .summary("who is in a group and holds what, or what a pacer's key holds")
      .description(
        "Shows the ledger of a group: its capacity, and who is in it and holds how much. With --key it shows what a pacer's key holds: up to when it is reserved, in which terms, and who waits. Reads only, while the fleet runs. Exit code 0: done, also where there is no such group or key; 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[group]", "the group's name")
      .option("--key <key>", "show this pacer's key instead of a group")
      .option("--json", "print the snapshot as one JSON object, or null where nothing is there")
      .action(async (address: StoreAddress, group: string | undefined, { key, json = false }: Flags) => {
        if ((group === undefined) === (key === undefined))
          throw new UsageError("give either a group or --key <key>, as in: dt inspect redis://localhost:6379 payments");
        print(
          await lookInStore(address, (store) =>
            key === undefined ? groupOf(store, group as string, json) : keyOf(store, key, json),
          ),
        );
      }),
};

async function groupOf(store: AnyStore, group: string, json: boolean): Promise<string> {
  const snapshot = await store.inspect(group);
  const isThere = snapshot.generation > 0;
  if (json) return `${JSON.stringify(isThere ? snapshot : null)}\n`;
  return isThere ? groupText(snapshot) : `There is no group ${JSON.stringify(group)}.\n`;
}

async function keyOf(store: AnyStore, key: string, json: boolean): Promise<string> {
  if (store.inspectPermits === undefined) throw new UsageError("this store cannot tell what a key of permits holds");
  const snapshot = await store.inspectPermits(key);
  if (json) return `${JSON.stringify(snapshot ?? null)}\n`;
  return snapshot ? keyText(snapshot) : `Nothing is reserved of the key ${JSON.stringify(key)}.\n`;
}

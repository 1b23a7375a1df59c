import { isDtError, type RepairReport } from "@dt/core";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, inStore } from "../stores/in-store.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

const OTHERWISE = "nothing was repaired";

/** What commander makes of the command line. */
interface Flags {
  readonly key?: string;
  readonly reset?: boolean;
  readonly json?: boolean;
}

export const repair: CommandDefinition = {
  define: () =>
    new Command("repair")
      .summary("mend a group's ledger, or a pacer's key, while the fleet runs")
      .description(
        "Checks every row of a group, drops what is damaged and counts the rest again. Safe on a living fleet: members that were dropped register again and claim what they use, and until a stale age has passed nobody is given more. With --key it forgets what is reserved of a pacer's key. Exit code 0: done, 1: the store cannot be used, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[group]", "the group's name")
      .option("--reset", "forget all members of the group and start its ledger anew, also where no row is damaged")
      .option("--key <key>", "reset this pacer's key instead of repairing a group")
      .option("--json", "print the report as one JSON object, or null where there is no such group")
      .action(async (address: StoreAddress, group: string | undefined, { key, reset = false, json = false }: Flags) => {
        if ((group === undefined) === (key === undefined))
          throw new UsageError("give either a group or --key <key>, as in: dt repair redis://localhost:6379 payments");
        if (key !== undefined) {
          if (reset) throw new UsageError("--reset is for groups; --key always starts its key anew");
          const isReset = await inStore(address, OTHERWISE, (store) => resetKey(store, key));
          const name = JSON.stringify(key);
          if (json) printJson({ key, reset: isReset });
          else print(isReset ? `Key ${name} starts anew.\n` : `Nothing is reserved of the key ${name}.\n`);
        } else if (group !== undefined) {
          const report = await inStore(address, OTHERWISE, (store) => repairGroup(store, group, reset));
          if (json) printJson(report ? { group, ...report } : null);
          else print(textOf(group, report));
        }
      }),
};

/** Undefined where there is no such group. */
async function repairGroup(store: AnyStore, group: string, reset: boolean): Promise<RepairReport | undefined> {
  if (store.repair === undefined) throw new UsageError("this store keeps no ledger that could be repaired");
  const wasThere = await isThere(async () => (await store.inspect(group)).generation > 0);
  // A reset would make a group in some stores. What is left of a damaged one may be no more than what a repair finds.
  const report = await store.repair(group, { reset: reset && wasThere });
  return wasThere || report.found.length > 0 || report.members > 0 ? report : undefined;
}

/** What a look says, and true for what is too damaged to be read: it is there. */
async function isThere(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isDtError(error, "DT_STORE_DATA")) return true;
    throw error;
  }
}

/** False where nothing is left of the key. */
async function resetKey(store: AnyStore, key: string): Promise<boolean> {
  if (store.resetPermits === undefined) throw new UsageError("this store keeps no permits that could be reset");
  const look = store.inspectPermits?.bind(store);
  const wasThere = look === undefined || (await isThere(async () => (await look(key)) !== undefined));
  if (wasThere) await store.resetPermits(key);
  return wasThere;
}

function textOf(group: string, report: RepairReport | undefined): string {
  const name = JSON.stringify(group);
  if (report === undefined) return `There is no group ${name}.\n`;
  const { found, members, reset } = report;
  const lines = found.map((fault) => `- ${fault}`);
  if (reset) lines.push(`Group ${name} starts anew; its members register again at their next sync.`);
  else
    lines.push(`Group ${name}: ${found.length === 0 ? "nothing was wrong" : "mended"}; members on record: ${members}.`);
  return `${lines.join("\n")}\n`;
}

import { isDtError, type RepairReport } from "@dt/core";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, inStore } from "../stores/in-store.ts";
import { type LimiterName, parseLimiter, storedName } from "../stores/limiter.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

const OTHERWISE = "nothing was repaired";

/** What commander makes of the command line. */
interface Flags {
  readonly reset?: boolean;
  readonly json?: boolean;
}

export const repair: CommandDefinition = {
  define: () =>
    new Command("repair")
      .summary("mend the ledger of a throttle or a semaphore, or start a pacer anew, while the fleet runs")
      .description(
        "Of a throttle and a semaphore it checks every row of the ledger, drops what is damaged and counts the rest again. Safe on a living fleet: members that were dropped register again and claim what they use. No member is given more until a stale age has passed. Of a pacer it forgets what is reserved. Exit code 0: done, 1: the store cannot be used, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle, pacer or semaphore")
      .argument("[name]", "the limiter's name")
      .option(
        "--reset",
        "forget all members of the throttle or semaphore and start its ledger anew, also where no row is damaged",
      )
      .option("--json", "print the report as one JSON object, or null where there is no such limiter")
      .action(async (address: StoreAddress, givenKind?: string, givenName?: string, flags: Flags = {}) => {
        const { reset = false, json = false } = flags;
        const { kind, name } = parseLimiter("repair", givenKind, givenName);
        if (kind === "pacer") {
          if (reset) throw new UsageError("--reset is for throttles and semaphores; a pacer is always started anew");
          const isReset = await inStore(address, OTHERWISE, (store) => resetPacer(store, name));
          const shown = JSON.stringify(name);
          if (json) printJson({ kind, name, reset: isReset });
          else print(isReset ? `Pacer ${shown} starts anew.\n` : `Nothing is reserved of the pacer ${shown}.\n`);
        } else {
          const report = await inStore(address, OTHERWISE, (store) =>
            repairLedger(store, storedName({ kind, name }), reset),
          );
          if (json) printJson(report ? { kind, name, ...report } : null);
          else print(textOf({ kind, name }, report));
        }
      }),
};

/** Undefined where there is no such ledger. */
async function repairLedger(store: AnyStore, name: string, reset: boolean): Promise<RepairReport | undefined> {
  if (store.repair === undefined) throw new UsageError("this store keeps no ledger that could be repaired");
  const wasThere = await isThere(async () => (await store.inspect(name)).generation > 0);
  // A reset would make a ledger in some stores. What is left of a damaged one may be no more than what a repair finds.
  const report = await store.repair(name, { reset: reset && wasThere });
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

/** False where nothing is left of the pacer. */
async function resetPacer(store: AnyStore, name: string): Promise<boolean> {
  if (store.resetPermits === undefined) throw new UsageError("this store keeps nothing of a pacer that could be reset");
  const look = store.inspectPermits?.bind(store);
  const wasThere = look === undefined || (await isThere(async () => (await look(name)) !== undefined));
  if (wasThere) await store.resetPermits(name);
  return wasThere;
}

function textOf({ kind, name }: LimiterName, report: RepairReport | undefined): string {
  const shown = JSON.stringify(name);
  if (report === undefined) return `There is no ${kind} ${shown}.\n`;
  const { found, members, reset } = report;
  const limiter = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${shown}`;
  const lines = found.map((fault) => `- ${fault}`);
  if (reset) lines.push(`${limiter} starts anew; its members register again at their next sync.`);
  else lines.push(`${limiter}: ${found.length === 0 ? "nothing was wrong" : "mended"}; members on record: ${members}.`);
  return `${lines.join("\n")}\n`;
}

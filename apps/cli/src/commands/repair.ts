import { isDtError, type RepairReport } from "@dt/core";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, inStore } from "../stores/in-store.ts";
import { isLedger, type LimiterName, parseLimiter, storedName, withKey } from "../stores/limiter.ts";
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
      .summary(
        "mend the ledger of a throttle or a semaphore, or start a pacer, a budget or a key anew, while the fleet runs",
      )
      .description(
        "Of a throttle and a semaphore it checks every row of the ledger, drops what is damaged and counts the rest again. Safe on a living fleet: members that were dropped register again and claim what they use. No member is given more until a stale age has passed. Of a pacer it forgets what is reserved, of a budget what is spent, and of a key of a keyed limit what is used. Exit code 0: done, 1: the store cannot be used, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle, pacer, semaphore, budget or keyed")
      .argument("[name]", "the limiter's name")
      .argument("[key]", "of a keyed limit: the key, such as a tenant")
      .option(
        "--reset",
        "forget all members of the throttle or semaphore and start its ledger anew, also where no row is damaged",
      )
      .option("--json", "print the report as one JSON object, or null where there is no such limiter")
      .action(
        async (address: StoreAddress, givenKind?: string, givenName?: string, givenKey?: string, flags: Flags = {}) => {
          const { reset = false, json = false } = flags;
          const limiter = withKey("repair", parseLimiter("repair", givenKind, givenName), givenKey);
          const { kind, name } = limiter;
          if (isLedger(kind)) {
            const report = await inStore(address, OTHERWISE, (store) =>
              repairLedger(store, storedName(kind, name), reset),
            );
            if (json) printJson(report ? { kind, name, ...report } : null);
            else print(textOf({ kind, name }, report));
          } else {
            if (reset)
              throw new UsageError(`--reset is for throttles and semaphores; a ${kind} is always started anew`);
            const isReset = await inStore(address, OTHERWISE, (store) => startAnew(waysOf(store, limiter)));
            if (json) printJson({ ...limiter, reset: isReset });
            else print(isReset ? `${limiterText(limiter)} starts anew.\n` : nothingText(limiter));
          }
        },
      ),
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

/** How a store forgets a pacer, a budget or a key, and how it shows one. */
interface Ways {
  reset(): Promise<void>;
  readonly look?: (() => Promise<object | undefined>) | undefined;
}

function waysOf(store: AnyStore, { kind, name, key = "" }: LimiterName): Ways {
  if (kind === "pacer" && store.resetPermits)
    return { reset: async () => store.resetPermits?.(name), look: store.inspectPermits?.bind(store, name) };
  if (kind === "budget" && store.resetBudget)
    return { reset: async () => store.resetBudget?.(name), look: store.inspectBudget?.bind(store, name) };
  if (kind === "keyed" && store.resetBucket) {
    const bucket = { name, key };
    return { reset: async () => store.resetBucket?.(bucket), look: store.inspectBucket?.bind(store, bucket) };
  }
  throw new UsageError(`this store keeps nothing of a ${kind} that could be reset`);
}

/** False where nothing is left of it. */
async function startAnew({ reset, look }: Ways): Promise<boolean> {
  const wasThere = look === undefined || (await isThere(async () => (await look()) !== undefined));
  if (wasThere) await reset();
  return wasThere;
}

function textOf({ kind, name }: LimiterName, report: RepairReport | undefined): string {
  if (report === undefined) return `There is no ${kind} ${JSON.stringify(name)}.\n`;
  const { found, members, reset } = report;
  const limiter = limiterText({ kind, name });
  const lines = found.map((fault) => `- ${fault}`);
  if (reset) lines.push(`${limiter} starts anew; its members register again at their next sync.`);
  else lines.push(`${limiter}: ${found.length === 0 ? "nothing was wrong" : "mended"}; members on record: ${members}.`);
  return `${lines.join("\n")}\n`;
}

function limiterText({ kind, name, key }: LimiterName): string {
  const limiter = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${JSON.stringify(name)}`;
  return key === undefined ? limiter : `${limiter}, key ${JSON.stringify(key)},`;
}

/** That nothing is left of a pacer, a budget or a key. */
function nothingText({ kind, name, key }: LimiterName): string {
  if (key !== undefined)
    return `Nothing is used of the key ${JSON.stringify(key)} of the keyed limit ${JSON.stringify(name)}.\n`;
  return `Nothing is ${kind === "budget" ? "spent" : "reserved"} of the ${kind} ${JSON.stringify(name)}.\n`;
}

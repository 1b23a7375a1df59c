import { SEMAPHORE_PREFIX } from "@dt/core/internal";
import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { LIMITER_KINDS, type LimiterKind, type LimiterName, parseKind } from "../stores/limiter.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly json?: boolean;
}

export const list: CommandDefinition = {
  define: () =>
    new Command("list")
      .summary("the throttles, pacers, semaphores, budgets and keyed limits that a store keeps something of")
      .description(
        "Lists the throttles, pacers, semaphores, budgets and keyed limits that a store keeps something of. Each has a line: its kind, and its name as a JSON string. Of a keyed limit each key that is in use has a line. Reads only, a page at a time, while the fleet runs. Those that are no longer in use are listed for as long as the store remembers them. Exit code 0: done, 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .argument("[kind]", "throttle, pacer, semaphore, budget or keyed: this kind alone")
      .option("--json", "print one JSON array of { kind, name }, and of a keyed limit { kind, name, key }")
      .action((address: StoreAddress, givenKind?: string, { json = false }: Flags = {}) => {
        const given = givenKind && parseKind(givenKind, "as in: dt list sqlite:limits.db pacer");
        return lookInStore(address, async (store) => {
          // All first: a store that cannot list one of them says so before anything is printed.
          const lists = (given ? [given] : kindsOf(store)).map((kind) => ({ kind, page: PAGES_OF[kind](store) }));
          const limiters: LimiterName[] = [];
          const hasLeft = json ? () => false : watchReader();
          for (const { kind, page } of lists)
            await each(
              page,
              (named) => {
                if (json) limiters.push({ kind, ...named });
                else print(`${kind.padEnd(9)} ${namesOf(named).join(" ")}\n`);
              },
              hasLeft,
            );
          if (json) printJson(limiters);
        });
      }),
};

/** A store of a version before budgets or keyed limits keeps none. */
function kindsOf(store: AnyStore): readonly LimiterKind[] {
  return LIMITER_KINDS.filter(
    (kind) => (kind !== "budget" || store.spend !== undefined) && (kind !== "keyed" || store.take !== undefined),
  );
}

type Named = Omit<LimiterName, "kind">;

/** As JSON strings: a name may hold anything. */
function namesOf({ name, key }: Named): readonly string[] {
  return [name, ...(key === undefined ? [] : [key])].map((text) => JSON.stringify(text));
}

type Pages = (cursor: string | undefined) => Promise<{ readonly named: readonly Named[]; readonly next?: string }>;

/** Pages of the ledgers for which `nameOf` has a name: throttles and semaphores are kept side by side. */
function ledgersOf(store: AnyStore, what: string, nameOf: (group: string) => string | undefined): Pages {
  if (store.list === undefined) throw new UsageError(`this store cannot list its ${what}`);
  const list = store.list.bind(store);
  return async (cursor) => {
    const { groups, ...next } = await list(cursor);
    return {
      named: groups
        .map(nameOf)
        .filter((name) => name !== undefined)
        .map(named),
      ...next,
    };
  };
}

function throttlesOf(store: AnyStore): Pages {
  return ledgersOf(store, "throttles", (group) => (group.startsWith(SEMAPHORE_PREFIX) ? undefined : group));
}

function semaphoresOf(store: AnyStore): Pages {
  return ledgersOf(store, "semaphores", (group) =>
    group.startsWith(SEMAPHORE_PREFIX) ? group.slice(SEMAPHORE_PREFIX.length) : undefined,
  );
}

function pacersOf(store: AnyStore): Pages {
  if (store.listPermits === undefined) throw new UsageError("this store cannot list its pacers");
  const list = store.listPermits.bind(store);
  return async (cursor) => {
    const { keys, ...next } = await list(cursor);
    return { named: keys.map(named), ...next };
  };
}

function budgetsOf(store: AnyStore): Pages {
  if (store.listBudgets === undefined) throw new UsageError("this store cannot list its budgets");
  const list = store.listBudgets.bind(store);
  return async (cursor) => {
    const { budgets, ...next } = await list(cursor);
    return { named: budgets.map(named), ...next };
  };
}

function bucketsOf(store: AnyStore): Pages {
  if (store.listBuckets === undefined) throw new UsageError("this store cannot list its keyed limits");
  const list = store.listBuckets.bind(store);
  return async (cursor) => {
    const { buckets, ...next } = await list(cursor);
    return { named: buckets, ...next };
  };
}

const named = (name: string): Named => ({ name });

const PAGES_OF: Readonly<Record<LimiterKind, (store: AnyStore) => Pages>> = {
  throttle: throttlesOf,
  pacer: pacersOf,
  semaphore: semaphoresOf,
  budget: budgetsOf,
  keyed: bucketsOf,
};

/** Each name once, though it may be on several pages (R26), as long as anybody wants to know. */
async function each(page: Pages, tell: (named: Named) => void, hasLeft: () => boolean): Promise<void> {
  const told = new Set<string>();
  let cursor: string | undefined;
  do {
    const { named: found, next } = await page(cursor);
    for (const one of found) {
      const text = namesOf(one).join(" ");
      if (told.has(text)) continue;
      told.add(text);
      tell(one);
    }
    cursor = next;
  } while (cursor !== undefined && !hasLeft());
}

let left = false;

function onError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  left = true;
}

/**
 * Whoever reads the standard output may have had enough, as in `dt list ... | head`. That is no failure.
 * @returns true from then on
 */
function watchReader(): () => boolean {
  if (!process.stdout.listeners("error").includes(onError)) process.stdout.on("error", onError);
  return () => left;
}

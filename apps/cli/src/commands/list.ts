import { Command } from "commander";
import { UsageError } from "../exit-code.ts";
import { type AnyStore, lookInStore } from "../stores/in-store.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly groups?: boolean;
  readonly keys?: boolean;
  readonly json?: boolean;
}

export const list: CommandDefinition = {
  define: () =>
    new Command("list")
      .summary("the groups and the pacers' keys that a store has")
      .description(
        "Lists the groups and the pacers' keys that a store has, one to a line, each as a JSON string. Reads only, a page at a time, while the fleet runs. Those that nobody uses any more are listed for as long as the store remembers them. Exit code 0: done, 1: the store cannot be read, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .option("--groups", "groups alone")
      .option("--keys", "pacers' keys alone")
      .option("--json", "print { groups, keys } as one JSON object")
      .action((address: StoreAddress, { groups: groupsOnly = false, keys: keysOnly = false, json = false }: Flags) =>
        lookInStore(address, async (store) => {
          const groups = groupsOnly || !keysOnly ? groupsOf(store) : undefined;
          const keys = keysOnly || !groupsOnly ? keysOf(store) : undefined;
          if (json) {
            const listed = { ...(groups && { groups: await all(groups) }), ...(keys && { keys: await all(keys) }) };
            printJson(listed);
            return;
          }
          const hasLeft = watchReader();
          if (groups) await each(groups, (name) => print(`group ${JSON.stringify(name)}\n`), hasLeft);
          if (keys) await each(keys, (name) => print(`key   ${JSON.stringify(name)}\n`), hasLeft);
        }),
      ),
};

type Pages = (cursor: string | undefined) => Promise<{ readonly names: readonly string[]; readonly next?: string }>;

function groupsOf(store: AnyStore): Pages {
  if (store.list === undefined) throw new UsageError("this store cannot tell which groups it has");
  const list = store.list.bind(store);
  return async (cursor) => {
    const { groups, ...next } = await list(cursor);
    return { names: groups, ...next };
  };
}

function keysOf(store: AnyStore): Pages {
  if (store.listPermits === undefined) throw new UsageError("this store cannot tell which keys of permits it has");
  const list = store.listPermits.bind(store);
  return async (cursor) => {
    const { keys, ...next } = await list(cursor);
    return { names: keys, ...next };
  };
}

async function all(page: Pages): Promise<readonly string[]> {
  const names: string[] = [];
  await each(page, (name) => names.push(name));
  return names;
}

/** Each name once, though it may be on several pages (R26), as long as anybody wants to know. */
async function each(page: Pages, tell: (name: string) => void, hasLeft = () => false): Promise<void> {
  const told = new Set<string>();
  let cursor: string | undefined;
  do {
    const { names, next } = await page(cursor);
    for (const name of names) {
      if (told.has(name)) continue;
      told.add(name);
      tell(name);
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

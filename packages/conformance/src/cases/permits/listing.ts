import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";
import { type AskPage, allNames, listsAll, refusesCursors, refusesWhenOver } from "../../listing.ts";
import type { PermitStore } from "../../permits/permit-store.ts";

/** More keys than a page has. */
const MANY = 130;

/** P14: which keys there are. */
export const listing: readonly CaseDefinition[] = casesOf({ rule: "P14", needs: ["permits"] }, [
  {
    name: "keys with hostile names are listed by their whole names",
    async run(context) {
      const ask = pages(context, await context.permitStore());
      const unique = context.group();
      const names = [...HOSTILE.map((text) => `${text}${unique}${text}`), unique.padEnd(1_024, "x")];
      await useAll(context, names);
      listsAll(context, await allNames(context, [ask]), names);
    },
  },
  {
    name: "a key that was never used is not listed, and neither is a group",
    async run(context) {
      const store = await context.permitStore();
      const ask = pages(context, store);
      const unique = context.group();
      const [used, absent] = [`${unique}name`, NEAR_MISSES.map((text) => `${unique}${text}`)];
      await useAll(context, [used]);
      for (const key of absent.filter((name) => name !== used)) {
        await store.release(key, { id: "nobody's", keep: 0 });
        if (context.has(store, "inspectPermits")) await context.inspectsPermits(store).inspectPermits(key);
        if (context.has(store, "resetPermits")) await context.resetsPermits(store).resetPermits(key);
      }
      if (context.target.capabilities.ledger) await context.member(store, `${unique}group`).join();
      const listed = [...(await allNames(context, [ask]))].filter((name) => name.startsWith(unique));
      context.equal(JSON.stringify(listed), JSON.stringify([used]), "keys that are listed");
    },
  },
  {
    name: "keys that come between two pages make a list miss no other, whichever client is asked for a page",
    async run(context) {
      const clients = [pages(context, await context.permitStore()), pages(context, await context.permitClient())];
      const unique = context.group();
      const named = (what: string, i: number): string => `${unique}-${String(i).padStart(3, "0")}-${what}`;
      const staying = Array.from({ length: MANY }, (_, i) => named("stays", i));
      await useAll(context, staying);
      const listed = await allNames(context, clients, async (page) => {
        if (page < 10) await useAll(context, [named("comes", page)]);
      });
      listsAll(context, listed, staying);
    },
  },
  {
    name: "a cursor that no page of keys gave is refused",
    async run(context) {
      const store = await context.permitStore();
      const ask = pages(context, store);
      await useAll(
        context,
        Array.from({ length: MANY }, () => context.group()),
      );
      const ofGroups = context.has(store, "list") ? (await context.lists(store).list()).next : undefined;
      await refusesCursors(context, ask, ofGroups === undefined ? [] : [ofGroups]);
    },
  },
  {
    name: "a list of keys is refused when it is given up or the store is closed",
    async run(context) {
      const ask = pages(context, await context.permitStore());
      await refusesWhenOver(context, ask, async () => {
        const store = context.permits(await context.openStore());
        await store.close();
        return pages(context, store);
      });
    },
  },
]);

function pages(context: CaseContext, store: PermitStore): AskPage {
  const lister = context.listsPermits(store);
  return async (cursor, signal) => {
    const { keys, next } = await lister.listPermits(cursor, signal);
    return { names: keys, next };
  };
}

/** Reserves a permit of each of the keys. */
async function useAll(context: CaseContext, names: readonly string[]): Promise<void> {
  const keys = await Promise.all(names.map((name) => context.permitKey({}, name)));
  // In portions, since a store with one connection answers one after the other.
  for (let from = 0; from < keys.length; from += 16)
    await Promise.all(keys.slice(from, from + 16).map((key) => key.take()));
}

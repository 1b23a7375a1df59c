import type { BudgetStore } from "../../budgets/budget-store.ts";
import {
  asBudgets,
  budgetClient,
  budgetStore,
  inspectsBudgets,
  listsBudgets,
  newBudget,
  resetsBudgets,
} from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";
import { type AskPage, allNames, listsAll, refusesCursors, refusesWhenOver } from "../../listing.ts";

/** More budgets than a page has. */
const MANY = 130;

/** B12: which budgets there are. */
export const listing: readonly CaseDefinition[] = casesOf({ rule: "B12", needs: ["budgets"] }, [
  {
    name: "budgets with hostile names are listed by their whole names",
    async run(context) {
      const ask = pages(context, await budgetStore(context));
      const unique = context.group();
      const names = [...HOSTILE.map((text) => `${text}${unique}${text}`), unique.padEnd(1_024, "x")];
      await useAll(context, names);
      listsAll(context, await allNames(context, [ask]), names);
    },
  },
  {
    name: "a budget that was never used is not listed, and neither is a key or a group",
    async run(context) {
      const store = await budgetStore(context);
      const ask = pages(context, store);
      const unique = context.group();
      const used = `${unique}name`;
      await useAll(context, [used]);
      for (const name of NEAR_MISSES.map((text) => `${unique}${text}`).filter((other) => other !== used)) {
        if (context.has(store, "inspectBudget")) await inspectsBudgets(context, store).inspectBudget(name);
        if (context.has(store, "resetBudget")) await resetsBudgets(context, store).resetBudget(name);
      }
      if (context.target.capabilities.ledger) await context.member(store, `${unique}group`).join();
      if (context.has(store, "reserve")) await (await context.permitKey({}, `${unique}key`)).take();
      const listed = [...(await allNames(context, [ask]))].filter((name) => name.startsWith(unique));
      context.equal(JSON.stringify(listed), JSON.stringify([used]), "budgets that are listed");
    },
  },
  {
    name: "budgets that come between two pages make a list miss no other, whichever client is asked for a page",
    async run(context) {
      const clients = [pages(context, await budgetStore(context)), pages(context, await budgetClient(context))];
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
    name: "a cursor that no page of budgets gave is refused",
    async run(context) {
      const store = await budgetStore(context);
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
    name: "a list of budgets is refused when it is given up or the store is closed",
    async run(context) {
      const ask = pages(context, await budgetStore(context));
      await refusesWhenOver(context, ask, async () => {
        const store = asBudgets(context, await context.openStore());
        await store.close();
        return pages(context, store);
      });
    },
  },
]);

function pages(context: CaseContext, store: BudgetStore): AskPage {
  const lister = listsBudgets(context, store);
  return async (cursor, signal) => {
    const { budgets, next } = await lister.listBudgets(cursor, signal);
    return { names: budgets, next };
  };
}

/** Reserves a little of each of the budgets. */
async function useAll(context: CaseContext, names: readonly string[]): Promise<void> {
  // In portions, since a store with one connection answers one after the other.
  for (let from = 0; from < names.length; from += 16)
    await Promise.all(
      names.slice(from, from + 16).map(async (name) => (await newBudget(context, {}, name)).take([1, 1])),
    );
}

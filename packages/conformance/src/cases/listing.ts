import type { CoordinationStore } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";
import { HOSTILE, NEAR_MISSES } from "../hostile-names.ts";
import { type AskPage, allNames, listsAll, refusesCursors, refusesWhenOver } from "../listing.ts";
import type { Member } from "../member.ts";

/** More groups than a page has. */
const MANY = 130;

/** R26: which groups there are. */
export const listing: readonly CaseDefinition[] = casesOf({ rule: "R26", needs: ["ledger"] }, [
  {
    name: "groups with hostile names are listed by their whole names",
    async run(context) {
      const ask = pages(context, await context.store());
      const unique = context.group();
      const names = [...HOSTILE.map((text) => `${text}${unique}${text}`), unique.padEnd(1_024, "x")];
      await joinAll(context, names);
      listsAll(context, await allNames(context, [ask]), names);
    },
  },
  {
    name: "a group that never had a member is not listed, whichever client asked for it",
    async run(context) {
      const store = await context.store();
      const ask = pages(context, store);
      const unique = context.group();
      const [made, absent] = [`${unique}name`, NEAR_MISSES.map((text) => `${unique}${text}`)];
      await joinAll(context, [made]);
      for (const group of absent.filter((name) => name !== made)) {
        await store.inspect(group);
        await context.member(store, group).sync();
      }
      const listed = [...(await allNames(context, [ask]))].filter((name) => name.startsWith(unique));
      context.equal(JSON.stringify(listed), JSON.stringify([made]), "groups that are listed");
    },
  },
  {
    name: "groups that come and go between two pages make a list miss no other, whichever client is asked for a page",
    why: "a list by place loses a name for each that goes before it",
    async run(context) {
      const clients = [pages(context, await context.store()), pages(context, await context.client())];
      const unique = context.group();
      const named = (what: string, i: number): string => `${unique}-${String(i).padStart(3, "0")}-${what}`;
      const staying = Array.from({ length: MANY }, (_, i) => named("stays", i));
      const leaving = await joinAll(
        context,
        Array.from({ length: MANY / 5 }, (_, i) => named("goes", 5 * i)),
      );
      await joinAll(context, staying);
      const listed = await allNames(context, clients, async (page) => {
        for (const member of leaving.splice(0, 20)) await member.leave();
        if (page < 10) await joinAll(context, [named("comes", page)]);
      });
      listsAll(context, listed, staying);
    },
  },
  {
    name: "a cursor that no page gave is refused",
    why: "a list that begins anew, or somewhere else, is wrong and does not show it",
    async run(context) {
      const store = await context.store();
      const ask = pages(context, store);
      await joinAll(
        context,
        Array.from({ length: MANY }, () => context.group()),
      );
      const ofKeys = context.has(store, "listPermits")
        ? (await context.listsPermits(context.permits(store)).listPermits()).next
        : undefined;
      await refusesCursors(context, ask, ofKeys === undefined ? [] : [ofKeys]);
    },
  },
  {
    name: "a list changes nothing, and is refused when it is given up or the store is closed",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await context.agree(a, b);
      const before = await group.inspect();
      const ask = pages(context, group.store);
      await allNames(context, [ask]);
      const after = await group.inspect();
      context.equal(after.generation, before.generation, "generation after a list");
      context.equal(after.adopted, 2, "members that agree after a list");
      await refusesWhenOver(context, ask, async () => {
        const store = await context.openStore();
        await store.close();
        return pages(context, store);
      });
    },
  },
]);

function pages(context: CaseContext, store: CoordinationStore): AskPage {
  const lister = context.lists(store);
  return async (cursor, signal) => {
    const { groups, next } = await lister.list(cursor, signal);
    return { names: groups, next };
  };
}

/** A member joins each of the groups. */
async function joinAll(context: CaseContext, groups: readonly string[]): Promise<Member[]> {
  const store = await context.store();
  const members = groups.map((group) => context.member(store, group, { id: "same" }));
  // In portions, since a store with one connection answers one after the other.
  for (let from = 0; from < members.length; from += 16)
    await Promise.all(members.slice(from, from + 16).map((member) => member.join()));
  return members;
}

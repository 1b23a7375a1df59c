import type { CoordinationStore } from "@dt/core";
import type { CaseDefinition } from "../case.ts";
import { type CaseContext, LONG_MS } from "../context.ts";
import { isMemberView, type Member } from "../member.ts";

/**
 * More than an operation may remove at once in the reference ledger (1,000), so that a removal in portions is seen too.
 */
const MEMBERS = 1_200;
const PORTION = 50;
/** Calls in flight, over four clients: a call's deadline counts while it waits behind the others for the same group. */
const AT_ONCE = 16;
/** Times the case starts over, with twice the stale age, when the machine was too slow to keep everybody alive. */
const ATTEMPTS = 4;

/** Calls of every member before the silence. */
const ROUNDS = 3;
/** A stale age that is no longer than this many rounds of calls ends while members still call. */
const LEAST_ROUNDS = 1.2;
/** For the survivor's calls after the silence. */
const MARGIN_MS = 5_000;

/** Groups of more than a thousand members. */
export const largeGroups: readonly CaseDefinition[] = [
  {
    name: "a large group joins, agrees, and is removed when all but one go silent",
    rule: "R4",
    why: "a mass death must free its shares, without one operation that never ends",
    needs: ["ledger"],
    async run(context) {
      const count = context.target.maxMembers ?? MEMBERS;
      const stores: CoordinationStore[] = [await context.store()];
      while (stores.length < 4) stores.push(await context.client());
      // The stale age must be longer than it takes all of them to be called once, which a portion tells; the first one
      // warms up.
      const portionSize = Math.min(PORTION, count);
      let portionMs = 0;
      for (let portion = 0; portion < 2; portion++) {
        const startMs = context.now();
        const few = crowd(context, stores, context.group(), portionSize, context.ms(LONG_MS));
        await inPortions(few, async (member) => void (await member.join()));
        portionMs = context.now() - startMs;
        await Promise.all(few.map((member) => member.leave()));
      }
      const roundMs = portionMs * (count / portionSize);
      let wantedMs = Math.max(context.ms(1_000), 3 * roundMs);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++, wantedMs *= 2) {
        // Three rounds of calls, then the silence: as much of it as the case has time for.
        const staleAfterMs = Math.min(wantedMs, context.leftMs - ROUNDS * roundMs - context.ms(MARGIN_MS));
        if (staleAfterMs < LEAST_ROUNDS * roundMs) tooSlow(context, count, roundMs, wantedMs);
        const survivor = await agreeing(context, stores, count, staleAfterMs);
        if (!survivor) continue;
        context.equal(
          await alone(context, survivor, staleAfterMs),
          10 * count,
          "held of the survivor at the end",
          "R7",
        );
        return;
      }
      context.fail(
        `members go stale before all ${count} were called once; give the target a larger timeScale or maxMembers`,
      );
    },
  },
];

/** Not a broken rule, but nothing that the case could show in its time. */
function tooSlow(context: CaseContext, count: number, roundMs: number, staleAfterMs: number): never {
  const neededMs = context.now() + ROUNDS * roundMs + staleAfterMs + context.ms(MARGIN_MS);
  return context.fail(
    `the store is too slow for a group of ${count} in the time of a case. To call all of them once takes about ${Math.round(roundMs)} ms, so that they need a stale age of ${Math.round(staleAfterMs)} ms; ${context.scaleFor(neededMs)}, or a smaller maxMembers`,
  );
}

/** Lets a crowd join and agree with a survivor, which is given back; undefined when somebody went stale meanwhile. */
async function agreeing(
  context: CaseContext,
  stores: readonly CoordinationStore[],
  count: number,
  staleAfterMs: number,
): Promise<Member | undefined> {
  const store = stores[0] as CoordinationStore;
  const group = context.group();
  const survivor = context.member(store, group, { max: 10 * count });
  await survivor.join();
  const others = crowd(context, stores, group, count - 1, staleAfterMs);
  let lost = 0;
  await inPortions(others, async (member) => void (await member.join()));
  await survivor.beat();
  // Once to hear of the last join, once to adopt it.
  for (let round = 0; round < 2; round++) {
    await inPortions(others, async (member) => {
      if (!isMemberView(await member.sync())) lost += 1;
    });
  }
  if (lost > 0) return undefined;
  const view = await survivor.beat();
  if (view.members < count) return undefined;
  context.equal(view.members, count, "member count after all reported");
  context.equal(view.status, "agree", "status after all adopted", "R9");
  context.equal(view.held, 10, "held of one among them", "R7");
  // One consistent state of a large ledger, which is checked as such.
  await store.inspect(group);
  return survivor;
}

function crowd(
  context: CaseContext,
  stores: readonly CoordinationStore[],
  group: string,
  count: number,
  staleAfterMs: number,
): Member[] {
  const max = 10 * (context.target.maxMembers ?? MEMBERS);
  return Array.from({ length: count }, (_, i) =>
    context.member(stores[i % stores.length] as CoordinationStore, group, { max, staleAfterMs }),
  );
}

async function inPortions(members: readonly Member[], run: (member: Member) => Promise<void>): Promise<void> {
  for (let from = 0; from < members.length; from += AT_ONCE)
    await Promise.all(members.slice(from, from + AT_ONCE).map(run));
}

/** Lets the survivor alone go on, until it holds everything. */
async function alone(context: CaseContext, survivor: Member, staleAfterMs: number): Promise<number> {
  const deadlineMs = context.now() + 2 * staleAfterMs + context.ms(10_000);
  for (let attempts = 1; ; attempts++) {
    const view = await survivor.beat();
    if (view.members === 1 && view.status === "agree") return view.held;
    context.that(
      context.now() < deadlineMs || attempts < 50,
      `${view.members - 1} silent members are still there after ${2 * staleAfterMs} ms and more`,
    );
    await context.sleep(context.ms(50));
  }
}

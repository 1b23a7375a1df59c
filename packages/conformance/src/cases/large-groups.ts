import type { CoordinationStore } from "@dt/core";
import type { CaseDefinition } from "../case.ts";
import { type CaseContext, LONG_MS } from "../context.ts";
import type { Member } from "../member.ts";

/** More than an operation may remove at once in the reference ledger (1,000), so that a removal in portions is seen too. */
const MEMBERS = 1_200;
const PORTION = 50;

/** Groups of more than a thousand members. */
export const largeGroups: readonly CaseDefinition[] = [
  {
    name: "a large group joins, agrees, and is removed when all but one go silent",
    rule: "R4",
    why: "a mass death must free its shares, without one operation that never ends",
    needs: ["ledger"],
    async run(context) {
      const count = context.target.maxMembers ?? MEMBERS;
      const stores = [await context.store(), await context.client(), await context.client(), await context.client()];
      const group = context.group();
      const survivor = context.member(stores[0] as CoordinationStore, group, { max: 10 * count });
      await survivor.join();
      // The stale age must be longer than it takes all of them to be called once, which a portion tells; the first one warms up.
      let portionMs = 0;
      for (let portion = 0; portion < 2; portion++) {
        const startMs = context.now();
        const few = await joinAll(context, stores, group, PORTION, context.ms(LONG_MS));
        portionMs = context.now() - startMs;
        await Promise.all(few.map((member) => member.leave()));
      }
      const staleAfterMs = Math.max(context.ms(2_000), 3 * portionMs * (count / PORTION));
      const crowd = await joinAll(context, stores, group, count - 1, staleAfterMs);
      const snapshot = await (stores[0] as CoordinationStore).inspect(group);
      context.equal(snapshot.poolSize, count, "pool size after everybody joined");
      await survivor.beat();
      // Once to hear of the last join, once to adopt it.
      for (let round = 0; round < 2; round++) await inPortions(crowd, async (member) => void (await member.beat()));
      const view = await survivor.beat();
      context.equal(view.poolSize, count, "pool size after everybody reported");
      context.equal(view.status, "agree", "status after everybody adopted", "R9");
      context.equal(view.held, 10, "held of one among them", "R7");
      const alone = await quietly(context, survivor, staleAfterMs);
      context.equal(alone, 10 * count, "held of the survivor once the others are removed", "R7");
    },
  },
];

/** Lets members join, at most eight at a time on each store. */
async function joinAll(
  context: CaseContext,
  stores: readonly CoordinationStore[],
  group: string,
  count: number,
  staleAfterMs: number,
): Promise<Member[]> {
  const max = 10 * (context.target.maxMembers ?? MEMBERS);
  const members = Array.from({ length: count }, (_, i) =>
    context.member(stores[i % stores.length] as CoordinationStore, group, { max, staleAfterMs }),
  );
  await inPortions(members, async (member) => void (await member.join()));
  return members;
}

async function inPortions(members: readonly Member[], run: (member: Member) => Promise<void>): Promise<void> {
  for (let from = 0; from < members.length; from += 32) await Promise.all(members.slice(from, from + 32).map(run));
}

/** Lets the survivor alone go on, until it holds everything. */
async function quietly(context: CaseContext, survivor: Member, staleAfterMs: number): Promise<number> {
  const deadlineMs = context.now() + 2 * staleAfterMs + context.ms(10_000);
  for (;;) {
    const view = await survivor.beat();
    if (view.poolSize === 1 && view.status === "agree") return view.held;
    context.that(
      context.now() < deadlineMs,
      `${view.poolSize - 1} silent members are still there ${2 * staleAfterMs} ms and more after they stopped`,
    );
    await context.sleep(context.ms(50));
  }
}

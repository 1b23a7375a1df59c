import type { MemberView, Registration } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseGroup } from "../case-group.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import type { Member, MemberOptions } from "../member.ts";

/**
 * R20: from when what a member is given may be used. Of every answer in every case it is checked that the members
 * together may use no more of any epoch than the capacity, whatever they used and said of it.
 */
export const start: readonly CaseDefinition[] = casesOf({ rule: "R20", needs: ["ledger"] }, [
  {
    name: "tokens that were given up unused may be used by another member in the epoch that runs",
    why: "whoever needs them would wait for the next epoch, for nothing",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 50, early: 50, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "tokens that were used and then given up may be used again from the next epoch on",
    why: "the callee would see them twice in one epoch",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 100 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "what a member used were first the tokens that it keeps",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 60, use: { epoch, used: 60 } });
      shows(context, await b.beat(), { entitled: 40, early: 40, fromEpoch: epoch + 1 });
      await a.beat({ held: 50, use: { epoch, used: 60 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "of tokens that were used in part the rest may be used at once",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 70 } });
      shows(context, await b.beat(), { entitled: 50, early: 30, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a member spends no more than it gives up, whatever it says that it used",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await b.beat({ held: 0, use: { epoch, used: 90 } });
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 30, early: 30, fromEpoch: epoch + 1 });
      // It is raised to 30 again by the same call.
      await b.beat({ held: 27, use: { epoch, used: 900 } });
      shows(context, await c.beat(), { entitled: 10, early: 7, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "tokens that nobody gave up in the epoch that runs may be used in it from its beginning",
    why: "what was used in an epoch that is over says nothing of this one",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 100 } });
      const view = await b.beat({ observedMs: atEpoch(b, epoch + 1) });
      shows(context, view, { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "with tokens that became free in a newer epoch what was used before counts no more",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 60, use: { epoch, used: 90 } });
      shows(context, await b.beat(), { entitled: 30, early: 0, fromEpoch: epoch + 1 });
      await a.beat({ held: 30, observedMs: atEpoch(a, epoch + 1), use: { epoch: epoch + 1, used: 40 } });
      shows(context, await c.beat(), { entitled: 30, early: 20, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "of tokens that a member gave up in an older epoch than another one nothing counts as used",
    why: "it has not begun the newer epoch, and will not use them in it",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 0 } });
      await b.beat();
      // Each of the two is raised to 30 again by the same call.
      await a.beat({ held: 27, observedMs: atEpoch(a, epoch + 1), use: { epoch: epoch + 1, used: 30 } });
      await b.beat({ held: 20, use: { epoch, used: 30 } });
      shows(context, await c.beat(), { entitled: 30, early: 27, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "tokens that were given up without a word of their use count as used, in the newest epoch that anybody may have begun",
    why: "a member of an older version says nothing, and its clock may be ahead by the clock error",
    async run(context) {
      const { a, b, epoch } = await scene(context, { clockErrorMs: 2.5 * intervalOf(context) });
      await a.beat({ held: 50 });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 3 });
    },
  },
  {
    name: "tokens used in an epoch that nobody can have begun count as used in the newest that somebody can",
    why: "one member with a wrong clock would keep everybody from starting",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch: epoch + 1_000, used: 100 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a member whose clock is ahead speaks of an epoch that has not begun for others",
    async run(context) {
      const { a, b, epoch } = await scene(context, { clockErrorMs: 1.5 * intervalOf(context) });
      await a.beat({ held: 50, use: { epoch: epoch + 1, used: 80 } });
      shows(context, await b.beat(), { entitled: 50, early: 20, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "a report that gives up nothing says nothing of what was used",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 20 } });
      await a.beat({ held: 50, use: { epoch, used: 50 } });
      await a.beat({ held: 50 });
      shows(context, await b.beat(), { entitled: 50, early: 50, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a report that arrives twice, or after a newer one, spends nothing more",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 70 } });
      for (const seq of [a.seq, a.seq - 1])
        await group.store.sync(group.name, a.ref, a.report({ seq, held: 10, use: { epoch, used: 70 } }));
      shows(context, await b.beat(), { entitled: 50, early: 30, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a raise leaves what was used: tokens that come back after it are not unused by that",
    why: "the answer with the raise may be lost, and the tokens be raised again: they would be used twice",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 80 } });
      shows(context, await b.beat(), { entitled: 30, early: 10, fromEpoch: epoch + 1 });
      await b.leave(null, { use: { epoch, used: 0 } });
      shows(context, await c.beat(), { entitled: 45, early: 10, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "what one that says farewell held may be used at once, but for what it used",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.leave(null, { use: { epoch, used: 35 } });
      shows(context, await b.beat(), { entitled: 100, early: 65, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "what one held that says farewell without a word of its use may be used from the next epoch on",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.leave();
      shows(context, await b.beat(), { entitled: 100, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "what a removed member held may be used from the next epoch on that nobody can have begun",
    why: "nobody knows what it used before it crashed, nor by which clock",
    async run(context) {
      const clockErrorMs = 2.5 * intervalOf(context);
      const { b, epoch } = await scene(context, { clockErrorMs, staleAfterMs: context.ms(SHORT_MS) });
      const view = await context.until(async () => {
        const now = await b.beat({ held: 0, use: { epoch, used: 0 } });
        return now.poolSize === 1 ? now : undefined;
      }, "a silent member is not removed");
      shows(context, view, { entitled: 100, early: 0, fromEpoch: epoch + 3 });
    },
  },
  {
    name: "those who come after everybody left may not use again what was used in that epoch",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      await b.leave(null, { use: { epoch, used: 0 } });
      await a.leave(null, { use: { epoch, used: 100 } });
      shows(context, await group.member(a.options).join(), { entitled: 100, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a capacity that a report raised counts from the next epoch on",
    why: "what the others used of the smaller one is not known, and the callee was promised no more",
    async run(context) {
      const { a, b, epoch } = await scene(context, {}, { max: 40 });
      await a.beat({ held: 20, use: { epoch, used: 0 } });
      await b.beat();
      const view = await b.beat({ max: 90 });
      shows(context, view, { entitled: 45, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a capacity that is larger once somebody left counts from the next epoch on",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      const c = group.member({ ...a.options, max: 40 });
      await c.join();
      await a.beat({ held: 13, use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 13, early: 13, fromEpoch: epoch + 1 });
      await c.leave(null, { use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "after somebody joined again that was on record no more, raises start in the next epoch",
    why: "what it used beyond its claim, before it was forgotten, is on no record",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      const back = group.member(a.options);
      shows(context, await back.join({ rejoin: true, claim: 10 }), { entitled: 33, early: 0, fromEpoch: epoch + 1 });
      shows(context, await b.beat(), { entitled: 17, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a member that registers again while it is on record spends nothing by that",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 0 } });
      await c.join({ rejoin: true, claim: 30 });
      shows(context, await b.beat(), { entitled: 30, early: 30, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a group that goes on with another interval numbers its epochs anew",
    async run(context) {
      for (const part of [1 / 100, 100]) {
        const { group, a, b, epoch } = await scene(context);
        await b.leave(null, { use: { epoch, used: 0 } });
        await a.leave(null, { use: { epoch, used: 100 } });
        const intervalMs = a.options.intervalMs * part;
        const view = await group.member({ ...a.options, intervalMs }).join();
        const fromEpoch = Math.floor(view.storeTimeMs / intervalMs) + 1;
        shows(context, view, { entitled: 100, early: 0, fromEpoch });
      }
    },
  },
  {
    name: "on agree the exact split starts with the epoch after the newest in which tokens became free",
    async run(context) {
      const group = await context.newGroup();
      const epoch = await nextEpoch(context, group);
      const [a, b, c] = [0, 1, 2].map(() => group.member({ intervalMs: intervalOf(context), max: 11 })) as Three;
      for (const member of [a, b, c]) await member.join({ observedMs: atEpoch(member, epoch) });
      await a.beat({ observedMs: atEpoch(a, epoch + 1) });
      await a.beat({ held: 3, use: { epoch: epoch + 1, used: 11 } });
      for (const view of await context.agree(b, c, a)) {
        context.equal(view.status, "agree", "status", "R9");
        context.equal(view.entitled, 3, "what one of three is entitled to that agree on 11", "R19");
        context.equal(view.fromEpoch, epoch + 2, "the epoch from which the exact split may be used");
      }
      const later = await b.beat({ observedMs: atEpoch(b, epoch + 4) });
      context.equal(later.status, "agree", "status in a later epoch", "R9");
      context.equal(later.fromEpoch, epoch + 2, "the epoch from which the exact split may be used, which is over");
    },
  },
  {
    name: "when a group has learned its tokens may be used from the next epoch on",
    why: "survivors of a loss of data may have used them until then",
    needs: ["ledger", "learnsWhenNew"],
    async run(context) {
      const learning = { learningMs: context.ms(400) };
      const { a, epoch } = await scene(context, learning, learning);
      const view = await context.until(async () => {
        const now = await a.beat({ use: { epoch, used: 0 } });
        if (now.learning) shows(context, now, { entitled: 0, early: 0, fromEpoch: epoch + 1 });
        return now.learning ? undefined : now;
      }, "the group never ends learning");
      shows(context, view, { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "the first tokens of a group that is new in old data may be used at once",
    why: "nobody can have used them",
    needs: ["ledger", "dataAge"],
    async run(context) {
      const options = { intervalMs: intervalOf(context), staleAfterMs: context.ms(100) };
      await context.until(
        async () => {
          const view = await context.member(await context.store(), context.group(), options).join();
          const runs = Math.floor(view.storeTimeMs / options.intervalMs);
          const usable = view.fromEpoch <= runs ? view.entitled : view.fromEpoch === runs + 1 ? view.early : 0;
          return usable === 100 ? true : undefined;
        },
        "the first member of a group may not use its tokens at once, however old the data is",
        50,
      );
    },
  },
]);

type Three = [Member, Member, Member];

/** Longer than a case runs: what epoch it is does not depend on how fast the store is. */
function intervalOf(context: CaseContext): number {
  return context.ms(60_000);
}

/** Store time at which an epoch begins. */
function atEpoch({ options }: Member, epoch: number): number {
  return epoch * options.intervalMs;
}

/** The epoch after the one that runs. */
async function nextEpoch(context: CaseContext, { store }: CaseGroup): Promise<number> {
  const { storeTimeMs } = await context.member(store, context.group()).join();
  return Math.floor(storeTimeMs / intervalOf(context)) + 1;
}

interface Scene {
  readonly group: CaseGroup;
  readonly a: Member;
  readonly b: Member;
  /** It has just begun, and no token became free in it. */
  readonly epoch: number;
}

/** A group of two. The first has held all of the capacity for an epoch, the second nothing. */
async function scene(
  context: CaseContext,
  first: MemberOptions & Pick<Registration, "clockErrorMs"> = {},
  second: MemberOptions = {},
): Promise<Scene> {
  const group = await context.newGroup();
  const epoch = (await nextEpoch(context, group)) + 1;
  const { clockErrorMs = 0, ...options } = first;
  const a = group.member({ intervalMs: intervalOf(context), ...options });
  const b = group.member({ intervalMs: intervalOf(context), ...second });
  await a.join({ clockErrorMs, observedMs: atEpoch(a, epoch - 1) });
  await b.join();
  const { held } = await a.beat({ observedMs: atEpoch(a, epoch) });
  a.held = held;
  return { group, a, b, epoch };
}

/** The same with 90 tokens and a third member, that holds none of them. */
async function sceneOfThree(context: CaseContext): Promise<Scene & { readonly c: Member }> {
  const pair = await scene(context, { max: 90 }, { max: 90 });
  const c = pair.group.member(pair.a.options);
  await c.join();
  return { ...pair, c };
}

/** What an answer says of what its member may use, and from when. */
function shows(
  context: CaseContext,
  { entitled, early, fromEpoch }: MemberView,
  expected: Pick<MemberView, "entitled" | "early" | "fromEpoch">,
): void {
  const inWords = (start: typeof expected): string =>
    `${start.entitled} tokens from epoch ${start.fromEpoch} on, of what is new ${start.early} an epoch earlier`;
  context.equal(inWords({ entitled, early, fromEpoch }), inWords(expected), "what the member may use");
}

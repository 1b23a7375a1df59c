import { type CaseDefinition, casesOf } from "../case.ts";
import { SHORT_MS } from "../context.ts";
import type { Member } from "../member.ts";
import { atEpoch, intervalOf, nextEpoch, scene, sceneOfThree, shows } from "../scene.ts";
import { comeBack, mended } from "./damage.ts";

/** R20: where nobody can know what was used, everything counts as used; and from when an exact split may be. */
export const startAfresh: readonly CaseDefinition[] = casesOf({ rule: "R20", needs: ["ledger"] }, [
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
    name: "a capacity that is larger once a member left counts from the next epoch on",
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
    name: "after a member that was on record no more joined again, raises start in the next epoch",
    why: "its use beyond its claim, before it was forgotten, is on no record",
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
      const [a, b, c] = [0, 1, 2].map(() => group.member({ intervalMs: intervalOf(context), max: 11 })) as [
        Member,
        Member,
        Member,
      ];
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
    name: "who adopts may have used the split before in the epoch that it names: the next one starts after that",
    why: "the split before gave its odd tokens to others, who may have used them in that epoch",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 0 } });
      await context.agree(a, b, c);
      await c.leave(null, { use: { epoch, used: 0 } });
      const heard = await a.beat({ use: { epoch, used: 0 } });
      await b.beat({ use: { epoch, used: 0 } });
      await b.beat({ held: 45, observedMs: atEpoch(b, epoch + 3), use: { epoch: epoch + 2, used: 0 } });
      const view = await a.beat({ use: { epoch, used: 0 } });
      context.equal(heard.status, "disagree", "status of a report that adopts nothing", "R9");
      context.equal(view.status, "agree", "status once both adopted", "R9");
      context.equal(view.fromEpoch, epoch + 3, "the epoch from which the exact split may be used");
    },
  },
  {
    name: "who adopts without a word of its use may have used the split before in any epoch that has begun",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      await context.agree(a, b);
      const other = await a.beat({ max: 80, use: { epoch, used: 0 } });
      context.equal(other.status, "disagree", "status of a report that changes the capacity", "R9");
      await a.beat({ max: 80, held: 40, use: { epoch, used: 0 } });
      await b.beat({ held: 40, use: { epoch, used: 0 } });
      const view = await b.beat({ held: 40, observedMs: atEpoch(b, epoch + 3) });
      context.equal(view.status, "agree", "status once both adopted", "R9");
      context.equal(view.fromEpoch, epoch + 4, "the epoch from which the exact split may be used");
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
    name: "after a repair that forgot a member tokens may be used from the next epoch on",
    why: "the forgotten member may have used tokens that are on no record",
    needs: ["ledger", "spoilMember"],
    async run(context) {
      const short = { staleAfterMs: context.ms(SHORT_MS) };
      const { group, a, b, epoch } = await scene(context, short, short);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      await context.target.damage?.spoilMember?.(group.name, b.ref);
      const newcomer = group.member(a.options);
      await mended(context, group.store, group.name, () => newcomer.join());
      const view = await context.until(async () => {
        await comeBack(context, group.store, a);
        const now = await newcomer.beat({ use: { epoch, used: 0 } });
        return now.learning ? undefined : now;
      }, "a group that was repaired never ends learning");
      context.that(view.entitled > 0, "a newcomer is raised by nothing once the group has learned", "R7");
      shows(context, view, { entitled: view.entitled, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "when what is held is counted anew and was recorded wrongly, tokens may be used from the next epoch on",
    needs: ["ledger", "spoilSums"],
    async run(context) {
      const { group, a, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      await context.target.damage?.spoilSums?.(group.name);
      const view = await group.member(a.options).join();
      // A store may learn first, as after other repairs.
      shows(context, view, { entitled: view.learning ? 0 : 33, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "the first tokens of a group that is new in old data may be used at once",
    why: "no member can have used them",
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

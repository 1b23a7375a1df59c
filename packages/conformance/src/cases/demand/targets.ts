import type { MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import {
  type DemandAnswer,
  type Demander,
  type DemandGroup,
  demandGroup,
  hungryForMs,
} from "../../demand/demand-group.ts";

/** Hunger is noted anew after this part of a sync interval at the earliest, or of a second. */
const NOTED_PART = 3 / 4;

/** R22: what a member is raised to, and what it is told. */
export const targets: readonly CaseDefinition[] = casesOf({ rule: "R22", needs: ["ledger", "demand"] }, [
  {
    name: "a member is raised to its need and no further, as far as tokens are free",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(1_000, 40);
      context.equal(a.member.held, 100, "held of the only member, that wants more than there is");
      context.equal(b.member.held, 0, "held of a newcomer that wants 40 where nothing is free");
      await a.beat({ held: 80 });
      context.equal((await b.beat()).held, 20, "held of one that wants 40 where 20 are free");
      await a.beat({ held: 60 });
      context.equal((await b.beat()).held, 40, "held of one that wants 40 and has 20, where 20 more are free");
      await a.beat({ held: 50 });
      const view = await b.beat();
      context.equal(view.held, 40, "held of one that wants 40 and has it, where 10 are free");
      context.equal(view.entitled, 40, "what that one is entitled to, beyond what an even part would allow", "R19");
      const snapshot = await group.group.inspect();
      context.equal(snapshot.members[1]?.held, 40, "what inspect() shows of it right after");
      context.equal((await a.beat()).held, 60, "held of the one that wants more than there is, where 60 are left");
    },
  },
  {
    name: "while there is plenty a member keeps the tokens that it has until few are left beyond its need",
    why: "what changes a little would be written again and again",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(10, 10);
      await group.settle(a, b);
      group.holds([a, b], [30, 30], "where two want 10 each of 100: 20 on top");
      context.equal((await a.beat({ held: 20 })).held, 20, "held of one that gave up half of its tokens on top");
      context.equal((await a.beat({ held: 19 })).held, 30, "held of one that gave up more than half of it");
      a.want = 0;
      context.equal((await a.beat()).held, 30, "held of one that wants nothing any more, and keeps its tokens");
    },
  },
  {
    name: "a member that is alone has everything, whatever it wants, until another one joins",
    why: "a lone process would begin with a half of its limit",
    async run(context) {
      const group = await demandGroup(context);
      const a = group.demander(0);
      group.shows(
        await a.join(),
        { waterLevel: 100, reserve: 2, extra: 98, tight: false },
        "in the answer to the only one",
      );
      context.equal(a.member.held, 100, "held of the only one, that wants nothing");
      a.want = 10;
      group.shows(await a.beat(), { waterLevel: 100, extra: 90, tight: false }, "where the only one wants 10");
      const b = group.demander(10);
      group.shows(await b.join(), { extra: 20, tight: true, hungry: true }, "in the answer to a second one");
      group.shows(await a.beat(), { extra: 20, tight: true, hungry: true }, "in the answer to the first one then");
    },
  },
  {
    name: "where all want nothing each has one token, if there are so many, and none otherwise",
    why: "a caller that only looks whether a token is there would find none",
    async run(context) {
      for (const [max, each] of [
        [5, 1],
        [3, 1],
        [2, 0],
      ] as const) {
        const group = await demandGroup(context, { max });
        const members = await group.joined(0, 0, 0);
        await group.settle(...members);
        for (const member of members)
          group.shows(await member.beat(), { extra: each }, `of ${max} where three want nothing`);
        group.holds(members, [each, each, each], `of ${max} where three want nothing`);
      }
    },
  },
  {
    name: "a member that is answered less than it needs makes the group hungry; a sixteenth less does not",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(1_000, 32);
      group.forgetHunger();
      group.shows(await a.beat({ held: 71 }), { hungry: false }, "before any member starves");
      const starving = await b.beat();
      context.equal(starving.held, 29, "held of one that needs 32 where 29 are free");
      group.shows(starving, { hungry: true, tight: true }, "in the answer to one that needs 32 and gets 29");
      group.shows(
        await a.beat({ held: 71 }),
        { hungry: true, tight: true },
        "in the answer to the other one after that",
      );
      group.forgetHunger();
      group.shows(await a.beat({ held: 70 }), { hungry: false }, "later, in the answer to one that has enough");
      const fed = await b.beat();
      context.equal(fed.held, 30, "held of one that needs 32 where 30 are free");
      group.shows(fed, { hungry: false }, "in the answer to one that needs 32 and gets 30");
      group.shows(await a.beat({ held: 70 }), { hungry: false }, "in the answer to the other one after that");
      group.forgetHunger();
      await b.leave();
      await a.beat();
      const c = group.demander(15);
      await c.join();
      group.forgetHunger();
      group.shows(await a.beat({ held: 86 }), { hungry: false }, "later, in the answer to one that has enough");
      const less = await c.beat();
      context.equal(less.held, 14, "held of one that needs 15 where 14 are free");
      group.shows(less, { hungry: true }, "in the answer to one that needs 15 and gets 14");
    },
  },
  {
    name: "the group is hungry for 1.1 sync intervals of the member that asks, and 200 ms",
    why: "so long it takes until every member was answered this and gave up all that it is not due",
    async run(context) {
      const group = await demandGroup(context);
      const a = group.demander(1_000);
      const quick = group.demander(0, { syncMs: context.ms(1_000) });
      for (const member of [a, quick]) await member.join();
      group.forgetHunger();
      const starving = await group.demander(30).join();
      for (const laterMs of [0, 900, 1_290, 1_310, 5_000, 10_000, 11_150, 11_201]) {
        group.timeMs = Math.max(group.timeMs, starving.storeTimeMs + context.ms(laterMs));
        for (const member of [quick, a]) {
          const view = await member.beat({ held: member.member.held });
          isHungryFor(group, view, starving, member.syncMs);
        }
      }
      group.timeMs = starving.storeTimeMs + hungryForMs(a.syncMs);
      const over = await a.beat({ held: a.member.held });
      group.shows(over, { hungry: false }, "when 1.1 sync intervals and 200 ms are over");
    },
  },
  {
    name: "hunger is noted anew after 750 ms, or after three quarters of a sync interval of the one that starves where that is shorter",
    async run(context) {
      const group = await demandGroup(context);
      const [a] = await group.joined(1_000);
      for (const syncMs of [group.syncMs, 250]) {
        const starving = group.demander(40, { syncMs });
        let noted = await starving.join();
        const anewMs = NOTED_PART * Math.min(1_000, syncMs);
        for (const laterMs of [anewMs / 2, anewMs / 2 + 1, anewMs / 3]) {
          group.pass(laterMs);
          const view = await starving.beat();
          if (view.storeTimeMs - noted.storeTimeMs >= anewMs) noted = view;
        }
        const end = noted.storeTimeMs + hungryForMs(a.syncMs);
        group.timeMs = Math.max(group.timeMs, end - context.ms(100));
        isHungryFor(group, await a.beat({ held: 100 }), noted, a.syncMs);
        group.timeMs = Math.max(group.timeMs, end);
        isHungryFor(group, await a.beat({ held: 100 }), noted, a.syncMs);
        await starving.leave();
        group.forgetHunger();
      }
    },
  },
  {
    name: "tokens are tight while they are scarce, while a member starves, and while nothing is free or less than a quarter of what is left over",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(10, 10);
      await a.beat({ held: 70 });
      await b.beat();
      group.forgetHunger();
      const few = await a.beat({ held: 51 });
      context.equal(b.member.held, 30, "held of one that wants 10 of 100, beside another one that wants 10");
      group.shows(few, { tight: true, hungry: false }, "where 80 are left over and 19 are free");
      group.shows(await a.beat({ held: 50 }), { tight: false }, "where 80 are left over and 20 are free");
      a.want = 88;
      b.want = 12;
      await a.beat();
      await b.beat({ held: 10 });
      group.forgetHunger();
      const enough = await a.beat();
      context.equal(enough.held, 88, "held of one that wants 88 of 100 beside a want of 12");
      const fitting = { tight: true, hungry: false, waterLevel: 100, extra: 0 };
      group.shows(enough, fitting, "where two hold all that there is, and want it");
      a.want = 80;
      const almost = await a.beat({ held: 80 });
      group.shows(almost, { tight: false, waterLevel: 100, extra: 2 }, "where two want almost all that there is");
      a.want = 96;
      group.shows(await a.beat(), { tight: true, waterLevel: 88, extra: 0 }, "where two want more than there is");
    },
  },
  {
    name: "what is kept free goes to those that hold nothing, and to no others",
    why: "one that was idle gets its first token from it at once",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b, c] = await group.joined(500, 0, 0);
      await group.settle(a, b, c);
      group.holds([a, b, c], [98, 0, 0], "of 100 where two want nothing");
      context.equal((await a.beat({ held: 98 })).held, 98, "held of one that wants all, where two are kept free");
      b.want = 3;
      context.equal((await b.beat()).held, 2, "held of one that begins to want 3, where two are kept free");
      await a.beat({ held: 97 });
      context.equal((await b.beat()).held, 2, "held of one that has 2 and wants 3, where one is free and kept");
      c.want = 1;
      context.equal((await c.beat()).held, 1, "held of one that begins to want 1, where one is kept free");
    },
  },
  {
    name: "one that shares evenly and has less than the even part makes the group hungry, where others share by demand",
    async run(context) {
      const group = await demandGroup(context);
      const first = await group.even();
      const second = await group.even();
      context.equal(second.held, 0, "held of one that joins where nothing is free", "R7");
      const c = group.demander(0);
      group.shows(await c.join(), { hungry: false }, "where a member starved while all shared evenly");
      context.equal((await group.beat(second)).held, 0, "held of one that shares evenly where nothing is free", "R7");
      group.shows(await c.beat(), { hungry: true }, "after one of those that share evenly had less than its part");
      group.forgetHunger();
      await group.beat(first, { held: 33 });
      context.equal((await group.beat(second)).held, 33, "held of one that shares evenly, of three", "R7");
      group.shows(await c.beat(), { hungry: false }, "where those that share evenly have their part");
    },
  },
  {
    name: "only a member that reports its want is answered with demand",
    async run(context) {
      const group = await demandGroup(context);
      await group.joined(10);
      const even = await group.even();
      for (const view of [await even.join({ rejoin: true }), await even.beat()])
        context.equal(view.demand, undefined, "demand in the answer to one that shares evenly");
    },
  },
  {
    name: "while a group learns no member is raised, and none starves",
    needs: ["ledger", "demand", "learnsWhenNew"],
    async run(context) {
      const group = await demandGroup(context, { learningMs: context.ms(400) });
      const members = [group.demander(70), group.demander(40)];
      for (const member of members) await member.join();
      const [a, b] = members as [Demander, Demander];
      const learned = await context.until(async () => {
        const view = await a.beat();
        if (!view.learning) return view;
        context.equal(view.held, 0, "held of one that wants 70 while the group learns", "R8");
        group.shows(view, { hungry: false }, "while the group learns");
        return undefined;
      }, "the group never ends learning");
      context.equal(learned.held, 60, "held of one that wants 72 beside a want of 40, once the group has learned");
      context.equal((await b.beat()).held, 40, "held of the other one after that");
    },
  },
  {
    name: "a report that comes anew because its answer was lost is answered the same: no token twice",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(500, 40);
      await a.beat({ held: 60 });
      const { member } = b;
      const lost = await b.beat();
      context.equal(lost.held, 40, "held of one that wants 40 where 40 are free");
      const { store, name } = group.group;
      const again = (await store.sync(name, member.ref, {
        ...member.report({ held: 0 }),
        demand: b.demand,
      })) as MemberView;
      context.equal(again.held, 40, "held in the answer to the same report, which came twice");
      member.held = 0;
      context.equal((await b.beat()).held, 40, "held in the answer to a new report of one that received no raise");
      context.equal((await group.group.inspect()).held, 100, "sum of what is held after that");
      context.equal((await a.beat()).held, 60, "held of the other one after that");
    },
  },
]);

/** Whether an answer says of hunger what follows from when it was noted, by the store's own times. */
function isHungryFor(
  group: DemandGroup,
  { demand, storeTimeMs }: DemandAnswer,
  noted: DemandAnswer,
  syncMs: number,
): void {
  const passedMs = storeTimeMs - noted.storeTimeMs;
  const when = `${passedMs} ms after a member got less than it needs, to one with a sync interval of ${syncMs} ms`;
  group.context.equal(demand.hungry, passedMs < hungryForMs(syncMs), `demand.hungry ${when}`);
}

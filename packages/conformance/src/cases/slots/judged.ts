import { type CaseDefinition, casesOf } from "../../case.ts";
import { slotGroup } from "../../slots/slot-group.ts";

/** R29: what a member is raised by, with others before it in the queue. */
export const judged: readonly CaseDefinition[] = casesOf({ rule: "R29", needs: ["ledger", "slots"] }, [
  {
    name: "of what a member frees it gets back only what those before it in the queue leave",
    why: "who reports would take everything, and who waits would get nothing",
    async run(context) {
      for (const max of [1, 2]) {
        const group = await slotGroup(context, max);
        const members = await group.joined(10, 10);
        const [a, b] = members;
        await group.records(members, [max, 0], `where the first holds all of ${max}, and the second waits`);
        context.equal((await a.beat(0)).held, max - 1, `held of one that freed all of ${max} and wants 10`);
        await group.records(members, [max - 1, 1], `after one freed all of ${max}`);
        context.equal((await b.beat(0)).held, 1, "held of one that frees its part without the hint of it");
      }
    },
  },
  {
    name: "free slots go to those in the queue one after the other, to each as many as it lacks",
    async run(context) {
      const group = await slotGroup(context, 6);
      const members = await group.joined(10, 10, 10);
      const [a, b, c] = members;
      await a.beat(3);
      await group.records(members, [3, 2, 1], "where 3 are free, and the second and the third lack 2 each");
      await c.beat();
      await b.beat();
      await a.beat(2);
      await group.records(members, [2, 2, 2], "once one more is free");
    },
  },
  {
    name: "a slot that is kept for members which want nothing goes to no holder, and at once to one that holds none",
    why: "an idle process could not begin with its first call",
    async run(context) {
      const group = await slotGroup(context, 50);
      const members = await group.joined(100, 100, 0);
      const [a, b, c] = members;
      await a.beat(25);
      await b.beat();
      await b.beat();
      await group.records(members, [25, 24, 0], "where two want 100 of 50 each, and one is kept for the third");
      await a.beat(24);
      await group.records(members, [24, 25, 0], "once the first gave its turn up");
      c.callers = 1;
      context.equal((await c.beat()).held, 1, "held of one that held nothing, with its first call");
    },
  },
  {
    name: "no member of the queue is raised while the group learns",
    rule: "R8",
    needs: ["ledger", "slots", "losesData", "learnsWhenNew"],
    async run(context) {
      const group = await slotGroup(context, 2, { learningMs: context.ms(1_500) });
      const members = [group.member({ callers: 2 }), group.member({ callers: 2 })] as const;
      const [a, b] = members;
      await a.join({ rejoin: true, claim: 2 });
      await b.join();
      const freed = await a.beat(1);
      const before = await group.recorded(members);
      if (freed.learning && (await b.beat()).learning)
        context.equal(before, "1 0", "what the members are recorded as holding while the group learns");
      await context.until(async () => ((await a.beat()).learning ? undefined : true), "the group never ends learning");
      await group.records(members, [1, 1], "once the group has learned");
    },
  },
]);

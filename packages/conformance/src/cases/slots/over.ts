import { type CaseDefinition, casesOf } from "../../case.ts";
import { slotGroup } from "../../slots/slot-group.ts";

/** R32: more is held than there is. */
export const slotsOver: readonly CaseDefinition[] = casesOf({ rule: "R32", needs: ["ledger", "slots"] }, [
  {
    name: "while claims are more than the capacity every answer is over, and no member of the queue is raised",
    why: "a slot in use cannot be given up: who begins a call then makes the excess last",
    async run(context) {
      const group = await slotGroup(context, 4);
      const [a, b] = await group.joined(4, 4);
      const claimer = group.member({ callers: 2 });
      const members = [a, b, claimer];
      group.shows(await b.beat(), { over: false }, "where 4 of 4 are held");
      const claimed = await claimer.join({ rejoin: true, claim: 2 });
      context.equal(claimed.held, 2, "held of one that claims 2 beside 4", "R7");
      group.shows(claimed, { over: true }, "to the one that claims, where 6 of 4 are held");
      group.shows(await b.beat(), { over: true }, "to one that holds nothing");
      group.shows(await a.beat(3), { over: true }, "where 5 of 4 are held");
      await group.records(members, [3, 0, 2], "where one waits and 5 of 4 are held");
      group.shows(await a.beat(2), { over: false }, "where 4 of 4 are held again");
      group.shows(await b.beat(), { over: false }, "to the one that waits");
      await group.records(members, [2, 0, 2], "where one waits and 4 of 4 are held");
      await a.beat(1);
      await group.records(members, [1, 1, 2], "once one is free");
    },
  },
  {
    name: "after the capacity was lowered every answer is over until no more is held than there is",
    async run(context) {
      const group = await slotGroup(context, 8);
      const [a, b] = await group.joined(4, 4);
      await a.beat(4);
      await b.beat();
      await group.records([a, b], [4, 4], "of 8");
      group.shows(await b.beat(4, { max: 5 }), { over: true }, "to the one that declares 5");
      group.shows(await a.beat(3, { max: 5 }), { over: true }, "where 7 of 5 are held");
      group.shows(await b.beat(3, { max: 5 }), { over: true }, "where 6 of 5 are held");
      group.shows(await b.beat(2, { max: 5 }), { over: false }, "where 5 of 5 are held");
      group.shows(await a.beat(3, { max: 5 }), { over: false }, "to the other one");
    },
  },
]);

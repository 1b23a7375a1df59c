import { type CaseDefinition, casesOf } from "../../case.ts";
import { demandGroup } from "../../demand/demand-group.ts";
import { slotGroup } from "../../slots/slot-group.ts";

/** R33: what an answer has of the queue. */
export const order: readonly CaseDefinition[] = casesOf({ rule: "R33", needs: ["ledger", "slots"] }, [
  {
    name: "an answer has how many slots those before lack, and whether others wait",
    why: "a member without hints asks again in time for its turn, and one that holds a slot knows that others wait",
    async run(context) {
      const group = await slotGroup(context, 1);
      const a = group.member({ callers: 1 });
      group.shows(await a.join(), { place: 0, wanted: false, over: false }, "to one that is alone");
      const [b, c, d] = [group.member({ callers: 2 }), group.member({ callers: 2 }), group.member({ callers: 2 })];
      group.shows(await b.join(), { place: 0, wanted: false }, "to the first that waits");
      group.shows(await c.join(), { place: 1, wanted: true }, "to the second that waits");
      group.shows(await d.join(), { place: 2, wanted: true }, "to the third that waits");
      group.shows(await b.beat(), { place: 0, wanted: true }, "to the first that waits, with two behind it");
      group.shows(await c.beat(), { place: 1, wanted: true }, "to the second that waits, again");
      group.shows(await a.beat(), { wanted: true }, "to the holder");
      await b.leave();
      group.shows(await d.beat(), { place: 1 }, "to the third, once the first has left");
      for (const member of [c, d]) member.callers = 0;
      for (const member of [c, d]) await member.beat();
      group.shows(await a.beat(), { place: 0, wanted: false }, "to the holder, when no other member waits");
    },
  },
  {
    name: "those that hold less than they need are before those that wait for a turn",
    async run(context) {
      const group = await slotGroup(context, 5);
      const [a, b, c] = await group.joined(10, 10, 0);
      await a.beat(3);
      await b.beat();
      group.shows(await b.beat(), { place: 0, wanted: false }, "to one that waits for a turn");
      c.callers = 1;
      group.shows(await c.beat(), { place: 0, wanted: true }, "to one that needs 1 and holds nothing");
      group.shows(await b.beat(), { place: 1, wanted: true }, "to the one that waits for a turn");
    },
  },
  {
    name: "an answer has how many slots go round, since they cannot be divided",
    async run(context) {
      for (const [max, turns] of [
        [11, 2],
        [9, 0],
        [2, 2],
        [400, 0],
      ] as const) {
        const group = await slotGroup(context, max);
        const members = await group.joined(100, 100, 100);
        for (const member of members) group.shows(await member.beat(), { turns }, `where three want 100 of ${max}`);
      }
    },
  },
  {
    name: "one that shares by demand without slots is answered nothing of slots, and its group has no queue",
    why: "a throttle would pay for what only semaphores need",
    needs: ["ledger", "slots", "demand"],
    async run(context) {
      const group = await demandGroup(context, { max: 1 });
      const members = await group.joined(3, 3);
      await group.settle(...members);
      for (const member of members) {
        const { demand } = await member.beat();
        context.equal(demand.slots, undefined, "demand.slots in the answer to one that reported none");
      }
      const [a, b] = members;
      await b.beat();
      await a.beat({ held: 0 });
      const { members: rows } = await group.group.inspect();
      const held = rows.reduce((sum, row) => sum + row.held, 0);
      context.equal(
        held,
        0,
        "what is held of 1 that was given back, while another member wants it and has not asked again",
      );
    },
  },
]);

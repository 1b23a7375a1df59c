import { SLOT_LOOK } from "@dt/core/ledger";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { QUEUE_MS, type SlotGroup, slotGroup } from "../../slots/slot-group.ts";
import type { SlotMember } from "../../slots/slot-member.ts";

/** R28: which members are in the queue of a semaphore, and in which order. */
export const queue: readonly CaseDefinition[] = casesOf({ rule: "R28", needs: ["ledger", "slots"] }, [
  {
    name: "slots that become free go to members in the order in which these began to wait",
    why: "a process that waits could wait for ever while others are served",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b, c, d] = await group.joined(1, 0, 0, 0);
      for (const member of [c, d, b]) {
        member.callers = 1;
        await member.beat();
      }
      const members = [a, b, c, d];
      await group.records(members, [1, 0, 0, 0], "while the third, the fourth and the second wait, in this order");
      await done(a);
      await group.records(members, [0, 0, 1, 0], "once the first is done");
      await done(c);
      await group.records(members, [0, 0, 0, 1], "once the third is done");
      await done(d);
      await group.records(members, [0, 1, 0, 0], "once the fourth is done");
    },
  },
  {
    name: "where more members wait than one operation looks at, those are served first that came first",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [first] = await group.joined(1);
      const members = Array.from({ length: SLOT_LOOK + 4 }, () => group.member({ callers: 1 }));
      for (const member of members) await member.join();
      let waiting: readonly SlotMember[] = members;
      let holder: SlotMember | undefined = first;
      for (let turn = 1; turn <= 4 && holder; turn++) {
        const { storeTimeMs } = await done(holder);
        // On a slow store the first of them may have been silent for too long.
        waiting = waiting.filter(({ heardMs }) => storeTimeMs - heardMs <= QUEUE_MS);
        [holder, ...waiting] = waiting;
        const { members: rows } = await group.inspect();
        const shown = rows.find(({ held }) => held > 0)?.incarnation;
        context.equal(shown, holder?.ref.incarnation, `the holder of the one slot after ${turn} turns`);
      }
    },
  },
  {
    name: "a member that reports again, or wants more, keeps its place",
    async run(context) {
      const { group, members } = await waiting(context);
      const [a, b, c] = members;
      await c.beat();
      b.callers = 5;
      await b.beat();
      await done(a);
      await group.records(members, [0, 1, 0], "where the second waits the longest, and reported last");
    },
  },
  {
    name: "one that gives its turn up while its callers wait is the last of the queue",
    why: "the others would never have theirs",
    async run(context) {
      for (const atOnce of [false, true]) {
        const group = await slotGroup(context, 1);
        const members = await group.joined(3, 3, 3);
        for (let turn = 0; turn < 5; turn++) {
          const expected = [0, 1, 2].map((place) => (place === turn % 3 ? 1 : 0));
          await group.records(members, expected, `in turn ${turn + 1} of three members that want 3 of 1 each`);
          const holder = members[turn % 3] as SlotMember;
          holder.take({ held: 1, seq: holder.seq });
          if (!atOnce) await holder.beat(1);
          context.equal((await holder.beat(0)).held, 0, "held of a member that gives its turn up while others wait");
        }
      }
    },
  },
  {
    name: "one whose report crosses the hint of its offer keeps its place, and is answered its offer",
    why: "where hints are lost or late it would never have its turn",
    async run(context) {
      const group = await slotGroup(context, 1);
      const members = await group.joined(3, 3, 3);
      const [a, b] = members;
      await a.beat(0);
      context.equal((await b.beat(0)).held, 1, "held of the first of the queue, which reports without its hint");
      await group.records(members, [0, 1, 0], "after that");
    },
  },
  {
    name: "a member that holds less than it needs comes before those that wait for a turn, however long these wait",
    why: "one that has nothing would wait for one that has its part",
    async run(context) {
      const group = await slotGroup(context, 5);
      const members = await group.joined(10, 10, 0);
      const [a, b, c] = members;
      await a.beat(3);
      await b.beat();
      await b.beat();
      await group.records(members, [3, 2, 0], "where two share 5, and the second waits for a turn");
      c.callers = 1;
      await c.beat();
      await a.beat(2);
      await group.records(members, [2, 2, 1], "once the turn is over, and the third needs 1");
    },
  },
  {
    name: "a member whose callers wait no more leaves the queue, and so does one that leaves the group",
    async run(context) {
      for (const leaves of [true, false]) {
        const { group, members } = await waiting(context);
        const [a, b] = members;
        if (leaves) await b.leave();
        else await done(b);
        await done(a);
        await group.records(members, [0, leaves ? "-" : 0, 1], "where the one that waited the longest waits no more");
      }
    },
  },
  {
    name: "one that was silent for 2.5 s is in the queue no more, and comes back as the last; until then it keeps its place",
    why: "a slot that is given to a process which has just died is lost until the process is stale",
    async run(context) {
      for (const silentMs of [QUEUE_MS / 2, QUEUE_MS + 1]) {
        for (const comesBack of [true, false]) {
          const { group, members } = await waiting(context);
          const [a, b, c] = members;
          group.timeMs = b.heardMs + silentMs;
          const { storeTimeMs } = await c.beat();
          const isOut = storeTimeMs - b.heardMs > QUEUE_MS;
          const since = b.heardMs;
          if (comesBack) await b.beat();
          const view = await done(a);
          const isLate = !comesBack && view.storeTimeMs - since > QUEUE_MS;
          const expected = isOut || isLate ? [0, 0, 1] : [0, 1, 0];
          const then = comesBack ? ", and reported again" : "";
          await group.records(members, expected, `where the first of the queue was silent for ${silentMs} ms${then}`);
        }
      }
    },
  },
  {
    name: "a report that arrives twice or late changes nothing of its member's place",
    why: "a message that the network held back would put a member out of the queue, or into it",
    async run(context) {
      const { group, members } = await waiting(context);
      const [a, b, c] = members;
      await b.beat();
      const { store, name } = group.group;
      const old = (seq: number, callers: number, member: SlotMember) => {
        const said = {
          want: callers,
          syncMs: context.ms(1_000),
          slots: { waiting: callers, head: Math.min(1, callers), tookOffer: false },
        };
        return store.sync(name, member.ref, member.report(0, { seq, demand: said }));
      };
      for (const seq of [b.seq, b.seq - 1]) await old(seq, 0, b);
      c.callers = 0;
      await c.beat();
      for (const seq of [c.seq, c.seq - 1]) await old(seq, 3, c);
      await done(a);
      await group.records(members, [0, 1, 0], "where the second waits, by its last report, and the third does not");
      await done(b);
      await group.records(members, [0, 0, 0], "once the second is done");
    },
  },
  {
    name: "a member that lost its id to another process leaves the queue at once",
    async run(context) {
      const { group, members } = await waiting(context);
      const [a, b, c] = members;
      await b.beat();
      const next = group.member({ id: b.ref.id });
      await next.join();
      await next.beat();
      await done(a);
      await group.records(
        [a, b, c, next],
        [0, 0, 1, 0],
        "where another process holds the id of the first of the queue",
      );
    },
  },
]);

/** The member's calls are over. */
function done(member: SlotMember): ReturnType<SlotMember["beat"]> {
  member.callers = 0;
  return member.beat(0);
}

/** The first member holds the one slot; the second waits for it, and then the third. */
async function waiting(
  context: Parameters<CaseDefinition["run"]>[0],
): Promise<{ readonly group: SlotGroup; readonly members: readonly [SlotMember, SlotMember, SlotMember] }> {
  const group = await slotGroup(context, 1);
  const members = await group.joined(1, 1, 1);
  await group.records(members, [1, 0, 0], "where the first came first");
  return { group, members };
}

import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { type SlotGroup, slotGroup } from "../../slots/slot-group.ts";
import type { SlotMember } from "../../slots/slot-member.ts";

/** The wait for each mean share that a caller costs. */
const WAIT_MS = 100;

/** R34: a caller that costs more than its member is ever due. */
export const costly: readonly CaseDefinition[] = casesOf({ rule: "R34", needs: ["ledger", "slots"] }, [
  {
    name: "a costly caller has its turn once it has waited for as long as its shares would take, and not before",
    why: "beside busy members it would wait for ever",
    async run(context) {
      for (const part of [0.4, 1.1]) {
        const { group, members, waitedMs, waitMs } = await costlyBeside(context, 1);
        const [a, b] = members;
        group.pass(part * waitMs - waitedMs());
        const view = await a.beat(0);
        const isDue = waitedMs() >= waitMs;
        const when = `once a caller with a cost of 5 has waited for ${waitedMs()} ms, where ${waitMs} ms are due`;
        context.equal(view.held, isDue ? 0 : 2, `held of one that freed 2 of 6, ${when}`);
        if (!isDue) continue;
        await b.beat(0);
        const held = (await group.recorded(members)).split(" ");
        context.equal(held[2], "5", `held on record of the member with that caller, ${when}, after 4 of 6 were freed`);
      }
    },
  },
  {
    name: "when its call is over, the others have their parts again, and it is the last of the queue",
    async run(context) {
      const { group, members } = await inCostlyTurn(context, 1);
      const [a, b, c] = members;
      c.take({ held: 5, seq: c.seq });
      await c.beat(5);
      await c.beat(0);
      await a.beat();
      await b.beat();
      const held = (await group.recorded(members)).split(" ").map(Number);
      context.equal(
        held[2],
        2,
        "held on record of one whose next caller costs 5 as well, which is due 2 of 6 until its turn",
      );
      context.that((held[0] as number) >= 2 && (held[1] as number) >= 2, `the others hold ${held} of 6 after that`);
    },
  },
  {
    name: "of two members with costly callers the one that waits longer has its turn first, alone",
    async run(context) {
      const { group, members } = await inCostlyTurn(context, 2);
      const held = (await group.recorded(members)).split(" ").map(Number);
      context.equal(held[2], 5, "held on record of the first, after 4 of 8 were freed");
      context.that((held[3] as number) <= 2, `the second of them holds ${held[3]} of 8 meanwhile`);
    },
  },
]);

/** Two members with many callers, and so many that have one with a cost of 5; each of them holds 2. */
async function costlyBeside(context: CaseContext, count: 1 | 2) {
  const group: SlotGroup = await slotGroup(context, 4 + 2 * count);
  const [a, b] = await group.joined(10, 10);
  const members: [SlotMember, SlotMember, SlotMember, ...SlotMember[]] = [a, b, group.member({ callers: 1 })];
  if (count === 2) members.push(group.member({ callers: 1 }));
  const costly = members.slice(2);
  for (const member of costly) member.cost = 5;
  for (const member of costly) await member.join();
  const sinceMs = members[2].heardMs;
  for (const member of [a, b]) await member.beat(2);
  for (const member of costly) await member.beat();
  const waitMs = (WAIT_MS * 5) / 2;
  const waitedMs = (): number => group.timeMs - sinceMs;
  if (waitedMs() < waitMs)
    await group.records(
      members,
      members.map(() => 2),
      "where each is due 2",
    );
  return { group, members, waitMs, waitedMs };
}

/** The same, and the others have freed everything in the turn of the first costly caller. */
async function inCostlyTurn(context: CaseContext, count: 1 | 2) {
  const scene = await costlyBeside(context, count);
  const [a, b] = scene.members;
  scene.group.pass(2 * scene.waitMs);
  await a.beat(0);
  await b.beat(0);
  return scene;
}

import { type CaseDefinition, casesOf } from "../../case.ts";
import { AGAIN_MS, type SlotGroup, slotGroup } from "../../slots/slot-group.ts";
import type { SlotHints } from "../../slots/slot-hints.ts";
import type { SlotMember } from "../../slots/slot-member.ts";

/** R31: which members are asked for slots, and for how many. */
export const asks: readonly CaseDefinition[] = casesOf({ rule: "R31", needs: ["ledger", "slots", "hints"] }, [
  {
    name: "where slots lack and none is free, who holds most beyond its need is asked for as many as lack, and no other member",
    why: "a member that keeps more than its part does not know that another one has nothing",
    async run(context) {
      const group = await slotGroup(context, 12);
      const [a, b] = await sharing(group, [10, 5], [7, 5]);
      const [toA, toB] = [await group.hints(a), await group.hints(b)];
      const c = group.member({ callers: 2 });
      await c.join();
      const ask = await asked(group, toA, c);
      context.equal(`${ask.give} ${ask.waterLevel}`, "2 5", "give and waterLevel, where 2 lack and the level is 5");
      await quiet(group, c);
      context.equal(toB.came.length, 0, "hints to one that holds 5, which is the level");
      for (const hints of [toA, toB]) hints.stop();
    },
  },
  {
    name: "where one has not enough beyond its need, others are asked for the rest, each for its surplus",
    async run(context) {
      const group = await slotGroup(context, 12);
      const [a, b] = await sharing(group, [10, 5], [7, 5]);
      const [toA, toB] = [await group.hints(a), await group.hints(b)];
      const c = group.member({ callers: 10 });
      await c.join();
      const asks = [await asked(group, toA, c), await asked(group, toB, c)];
      const shown = asks.map(({ give, waterLevel }) => `${give} of ${waterLevel}`).join(", ");
      context.equal(shown, "3 of 4, 1 of 4", "give and waterLevel, where 4 lack, and they hold 7 and 5");
      for (const hints of [toA, toB]) hints.stop();
    },
  },
  {
    name: "each is asked once in 250 ms, and again while slots lack",
    why: "an ask may be lost, and each report of a member that waits would be another one",
    async run(context) {
      const group = await slotGroup(context, 4);
      const [a, b] = [group.member({ callers: 4 }), group.member({ callers: 2 })];
      await a.join();
      const hints = await group.hints(a);
      let askedMs = (await b.join()).storeTimeMs;
      let due = 1;
      await context.until(async () => {
        for (const passMs of [AGAIN_MS / 2, AGAIN_MS]) {
          group.pass(passMs);
          const { storeTimeMs } = await b.beat();
          if (storeTimeMs - askedMs <= AGAIN_MS) continue;
          askedMs = storeTimeMs;
          due += 1;
        }
        await context.sleep(context.ms(20));
        return hints.asks.length >= 2 ? true : undefined;
      }, "a member that gives nothing is not asked again");
      context.that(hints.asks.length <= due, `${hints.asks.length} asks came where ${due} were due`);
      hints.stop();
    },
  },
  {
    name: "slots that others were asked for already are asked for no more",
    async run(context) {
      const group = await slotGroup(context, 12);
      const [a, b, c] = await sharing(group, [10, 10, 0], [6, 6, 0]);
      const hints = [await group.hints(a), await group.hints(b)];
      c.callers = 1;
      const first = await c.beat();
      const again = await c.beat();
      await context.sleep(context.ms(50));
      const given = hints.flatMap((of) => of.asks).reduce((sum, { give }) => sum + give, 0);
      if (again.storeTimeMs - first.storeTimeMs <= AGAIN_MS)
        context.that(given <= 1, `members were asked for ${given} slots where 1 lacks`);
      for (const of of hints) of.stop();
    },
  },
  {
    name: "where one only waits for a turn, those that hold more than the level are asked for none: their turn ends by itself",
    why: "a turn that ends at once is no turn",
    async run(context) {
      for (const { max, callers, held, level } of [
        { max: 1, callers: [3, 3], held: [1, 0], level: 0 },
        { max: 5, callers: [10, 10], held: [3, 2], level: 2 },
      ] as const) {
        const group = await slotGroup(context, max);
        const [a, b] = await sharing(group, callers, held);
        const [toA, toB] = [await group.hints(a), await group.hints(b)];
        const ask = await asked(group, toA, b);
        const shown = `give and waterLevel to one that holds ${a.held} of ${max}`;
        context.equal(`${ask.give} ${ask.waterLevel}`, `0 ${level}`, shown);
        context.equal(toB.came.length, 0, "hints to the one that waits for its turn");
        for (const hints of [toA, toB]) hints.stop();
      }
    },
  },
  {
    name: "where something is free, or no member lacks anything, none is asked",
    async run(context) {
      const group = await slotGroup(context, 10);
      const [a, b] = await sharing(group, [4, 3], [5, 4]);
      const hints = await group.hints(a);
      b.callers = 5;
      context.equal((await b.beat()).held, 5, "held of one that needs 5, where 1 of 10 is free");
      await quiet(group, b);
      context.equal(hints.came.length, 0, "hints to one that holds 5 and needs 4, where no member lacks anything");
      hints.stop();
    },
  },
]);

/** Members with so many callers that hold this: the first held everything, and kept that. */
async function sharing<const Callers extends readonly number[]>(
  group: SlotGroup,
  callers: Callers,
  held: readonly number[],
): Promise<{ [Place in keyof Callers]: SlotMember }> {
  const members = await group.joined(...callers);
  const list: readonly SlotMember[] = members;
  await (list[0] as SlotMember).beat(held[0]);
  for (const member of list.slice(1)) await member.beat();
  await group.records(list, held, "before");
  return members;
}

/** The ask that comes while one that lacks something reports. */
function asked(
  group: SlotGroup,
  hints: SlotHints,
  lacking: SlotMember,
): ReturnType<SlotHints["until"]> & Promise<{ readonly give: number; readonly waterLevel: number }> {
  return hints.until("ask", "a member lacks slots, and none is free", async () => {
    group.pass(AGAIN_MS + 1);
    await lacking.beat();
  });
}

/** Gives a hint that should not be sent time to come. */
async function quiet(group: SlotGroup, member: SlotMember): Promise<void> {
  await member.beat();
  await group.context.sleep(group.context.ms(50));
}

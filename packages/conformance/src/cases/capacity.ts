import { type CaseDefinition, casesOf } from "../case.ts";
import { SHORT_MS } from "../context.ts";

/** R6: the smallest max of a live member. */
export const capacity: readonly CaseDefinition[] = casesOf({ rule: "R6", needs: ["ledger"] }, [
  {
    name: "the capacity is the smallest max that a live member declares",
    why: "a rolling change of max must be safe in both directions",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member({ max: 100 });
      context.equal((await a.join()).capacity, 100, "capacity of a group of one");
      context.equal(
        (await group.member({ max: 60 }).join()).capacity,
        60,
        "capacity after a member with a smaller max joined",
      );
      context.equal(
        (await group.member({ max: 80 }).join()).capacity,
        60,
        "capacity after a member with a larger max joined",
      );
      context.equal((await a.beat()).capacity, 60, "capacity in the answer to the first member's next report");
    },
  },
  {
    name: "a member's new max counts at its next report, down and up, as a new generation",
    async run(context) {
      const { a, b } = await context.joinedPair();
      const [before] = await context.agree(a, b);
      const down = await a.beat({ max: 40 });
      context.equal(down.capacity, 40, "capacity after one member declared less");
      context.that(
        down.generation > (before?.generation as number),
        "a lower capacity did not raise the generation",
        "R5",
      );
      context.equal(down.status, "disagree", "status of a report that changes the capacity", "R9");
      context.equal((await b.beat()).entitled, 20, "what the other member is entitled to after that", "R19");
      const up = await a.beat({ max: 200 });
      context.equal(up.capacity, 100, "capacity after it declared more: the other member's max");
      context.that(up.generation > down.generation, "a higher capacity did not raise the generation", "R5");
      const other = await b.beat({ max: 150 });
      context.equal(other.capacity, 150, "capacity after both declared more");
      const same = await a.beat({ max: 170 });
      context.equal(same.capacity, 150, "capacity after a change of a max that is not the smallest");
      context.equal(
        same.generation,
        other.generation,
        "generation after a change of max that does not change the capacity",
        "R5",
      );
    },
  },
  {
    name: "the capacity rises when the member with the smallest max leaves",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [100, 50, 20].map((max) => group.member({ max })) as [
        ReturnType<typeof context.member>,
        ReturnType<typeof context.member>,
        ReturnType<typeof context.member>,
      ];
      for (const member of [a, b, c]) await member.join();
      context.equal((await a.beat()).capacity, 20, "capacity with all three");
      await c.leave();
      context.equal((await a.beat()).capacity, 50, "capacity after the smallest left");
      await b.leave();
      context.equal((await a.beat()).capacity, 100, "capacity after the next smallest left");
    },
  },
  {
    name: "the capacity rises when the member with the smallest max goes stale",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      await a.join();
      await group.member({ max: 20, staleAfterMs: context.ms(SHORT_MS) }).join();
      context.equal((await a.beat()).capacity, 20, "capacity with both");
      const view = await context.until(async () => {
        const now = await a.beat();
        return now.members === 1 ? now : undefined;
      }, "a silent member is not removed");
      context.equal(view.capacity, 100, "capacity after the member with the smallest max was removed");
    },
  },
  {
    name: "a lowered capacity takes nothing away, and gives nothing more until enough was handed back",
    rule: "R7",
    why: "what a member holds is a fact until it reports less",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await context.agree(a, b);
      const lowered = await a.beat({ max: 20 });
      context.equal(lowered.held, 50, "what the member still holds when it lowers the capacity to 20");
      context.equal((await group.inspect()).held, 100, "sum of what is held then");
      const newcomer = group.member();
      context.equal((await newcomer.join()).held, 0, "held of a newcomer then");
      await a.beat({ max: 20, held: 6 });
      context.equal((await newcomer.beat()).held, 0, "held of the newcomer while the second member holds 50 of 20");
      await b.beat({ held: 6 });
      context.equal((await newcomer.beat()).held, 6, "held of the newcomer once enough was handed back");
    },
  },
]);

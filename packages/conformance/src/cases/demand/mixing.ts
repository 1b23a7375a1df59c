import type { MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { type DemandGroup, demandGroup } from "../../demand/demand-group.ts";
import type { Member } from "../../member.ts";

/** To hear of a generation, to adopt it, and to learn that all have. */
const ROUNDS = 3;

/** R25: members that share by demand beside others that share evenly. */
export const mixing: readonly CaseDefinition[] = casesOf({ rule: "R25", needs: ["ledger", "demand"] }, [
  {
    name: "members that share by demand adopt no generation, and never agree",
    why: "an exact split would be of even parts",
    async run(context) {
      const group = await demandGroup(context);
      const [a] = await group.joined(500);
      for (let times = 0; times < 3; times++)
        context.equal((await a.beat()).status, "disagree", "status of the only member");
      const b = group.demander(0);
      context.equal((await b.join()).status, "disagree", "status of a newcomer");
      for (const member of [a, b, a, b, a, b]) await member.beat();
      for (const { view } of [a, b]) context.equal(view?.status, "disagree", "status of one of two");
      const { adopted, generation, members } = await group.group.inspect();
      context.equal(adopted, 0, "members that have adopted the generation, of two that share by demand");
      for (const member of members)
        context.that(member.generation !== generation, `${member.id} shares by demand and has adopted the generation`);
    },
  },
  {
    name: "one that shares by demand keeps those that share evenly from agreeing; they have the even part without it",
    async run(context) {
      const group = await demandGroup(context, { max: 101 });
      const evens = [await group.even(), await group.even()];
      const [c] = await group.joined(7);
      await group.settle(c, ...evens);
      for (const even of evens) {
        const view = await group.beat(even);
        context.equal(view.status, "disagree", "status of one that shares evenly");
        context.equal(view.held, 33, "held of one that shares evenly, one of three, of 101", "R7");
      }
      context.equal((await c.beat()).status, "disagree", "status of the one that shares by demand");
      context.equal(
        (await group.group.inspect()).adopted,
        2,
        "members that have adopted the generation: the even ones",
      );
    },
  },
  {
    name: "when the last one that shares by demand has left, the others agree",
    async run(context) {
      const group = await demandGroup(context, { max: 101 });
      const evens = [await group.even(), await group.even()];
      const [c, d] = await group.joined(7, 90);
      await group.settle(c, d, ...evens);
      await c.leave();
      for (const even of [...evens, ...evens])
        context.equal((await group.beat(even)).status, "disagree", "status while one is left that shares by demand");
      await d.leave();
      const views = await agreeing(group, evens);
      context.equal(views.map(({ held }) => held).join(" "), "51 51", "what each is recorded as holding of 101", "R9");
    },
  },
  {
    name: "one that goes over to sharing evenly adopts, and all agree",
    async run(context) {
      const group = await demandGroup(context);
      const even = await group.even();
      const [b] = await group.joined(90);
      await group.settle(b, even);
      context.equal((await group.beat(even)).status, "disagree", "status beside one that shares by demand");
      b.member.held = 50;
      const views = await agreeing(group, [b.member, even]);
      context.equal(views.map(({ held }) => held).join(" "), "50 50", "what each holds of 100", "R9");
      for (const view of views) context.equal(view.demand, undefined, "demand in an answer to one that shares evenly");
    },
  },
]);

/** What all are answered that share evenly, once they agree. */
async function agreeing(group: DemandGroup, members: readonly Member[]): Promise<MemberView[]> {
  const views: MemberView[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const [place, member] of members.entries()) views[place] = await group.beat(member);
  const statuses = views.map(({ status }) => status).join(" ");
  group.context.that(!statuses.includes("disagree"), `members that all share evenly are answered ${statuses}`);
  return views;
}

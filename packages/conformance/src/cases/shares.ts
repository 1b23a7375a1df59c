import { type CaseDefinition, casesOf } from "../case.ts";

/** R7: who holds what. */
export const shares: readonly CaseDefinition[] = casesOf({ rule: "R7", needs: ["ledger"] }, [
  {
    name: "a newcomer is raised to what is free at once, without waiting for agreement",
    why: "one crashed or slow member must not keep the others from starting",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), group.member()];
      await a.join({ claim: 70 });
      await b.join({ claim: 10 });
      const c = group.member();
      const d = group.member();
      const third = await c.join();
      context.that(third.status === "disagree", "the answer is agree although no member adopted", "R9");
      // The first was alone when it joined, agreed with itself, and holds 100.
      context.equal(third.held, 0, "held where 100 of 100 and a claim of 10 are in use");
      await a.beat();
      await a.beat({ held: 20 });
      // The first is raised to fair, 33, by the same call that lowers it: 57 are free.
      context.equal((await c.beat()).held, 33, "held of a fair share of 33 where 57 are free");
      context.equal((await d.join()).held, 24, "held of a fair share of 25 where 24 are free");
    },
  },
  {
    name: "a raise gives at most what is free",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), group.member()];
      await a.join();
      context.equal((await b.join()).held, 0, "held of a newcomer where nothing is free");
      await a.beat();
      await a.beat({ held: 85 });
      context.equal((await b.beat()).held, 15, "held where 15 are free and fair is 50");
      await a.beat({ held: 70 });
      context.equal((await b.beat()).held, 30, "held where 15 more are free");
    },
  },
  {
    name: "a raise goes at most to fair, however much is free",
    async run(context) {
      const group = await context.newGroup();
      const members = ["a", "b", "c", "d"].map((id) => group.member({ id }));
      for (const member of members) await member.join();
      await context.agree(...members);
      const [a, b, c, d] = members as [
        (typeof members)[0],
        (typeof members)[0],
        (typeof members)[0],
        (typeof members)[0],
      ];
      await c.leave();
      await d.leave();
      const view = await a.beat();
      context.equal(view.status, "disagree", "status where the other member has not adopted", "R9");
      context.equal(view.held, 50, "held of a fair share of 50 where it held 25 and 50 are free");
      context.equal((await b.beat()).held, 50, "held of the other member, where 25 are free");
    },
  },
  {
    name: "a raise is recorded before it is answered: no other member is given the same tokens",
    why: "otherwise two members use them at once, and the callee sees more than max",
    async run(context) {
      const group = await context.newGroup();
      const other = await context.client();
      const a = group.member({ id: "a" });
      await a.join();
      const b = context.member(other, group.name, { id: "b" });
      const c = group.member({ id: "c" });
      await b.join();
      await a.beat();
      await a.beat({ held: 60 });
      context.equal((await b.beat()).held, 40, "held of the second member, to which 40 are free");
      const snapshot = await group.inspect();
      context.equal(
        snapshot.members.find((member) => member.id === "b")?.held,
        40,
        "what inspect() shows of it right after",
      );
      context.equal((await c.join()).held, 0, "held of a third member, for which nothing is left");
    },
  },
  {
    name: "a report lowers what the member holds, and the tokens are free for others",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await a.beat();
      const lowered = await a.beat({ held: 50 });
      context.equal(lowered.held, 50, "held after a report of 50");
      context.equal((await group.inspect()).members[0]?.held, 50, "what inspect() shows after a report of 50");
      context.equal((await b.beat()).held, 50, "held of the other member after that");
    },
  },
  {
    name: "a report never raises what the member holds",
    async run(context) {
      const { group, b } = await context.joinedPair();
      context.equal((await b.beat({ held: 1_000 })).held, 0, "held after a report of 1,000 where nothing is free");
      context.equal((await b.beat({ held: 50 })).held, 0, "held after a report of 50 where nothing is free");
      context.equal((await group.inspect()).held, 100, "sum of what is held");
    },
  },
  {
    name: "a claim is accepted as it is, even beyond the capacity, and no member is raised on top of it",
    why: "a member that comes back after the store lost its data is using these tokens: a smaller number would be wrong",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member({ id: "a" });
      await a.join();
      const b = group.member({ id: "b" });
      context.equal((await b.join({ rejoin: true, claim: 70 })).held, 70, "held of a member that claims 70 beside 100");
      const c = group.member({ id: "c" });
      context.equal((await c.join({ claim: 250 })).held, 250, "held of a member that claims 250 of a capacity of 100");
      context.equal((await group.inspect()).held, 420, "sum of what is held with the claims");
      const d = group.member({ id: "d" });
      context.equal((await d.join()).held, 0, "held of a newcomer beside the claims");
      await a.beat();
      await a.beat({ held: 25 });
      context.equal((await d.beat()).held, 0, "held of the newcomer while the claims alone exceed the capacity");
      await b.beat({ held: 25 });
      await c.beat({ held: 25 });
      const views = await context.agree(a, b, c, d);
      context.equal(
        views.map((view) => view.held).join(" "),
        "25 25 25 25",
        "what each holds once the claims are over",
      );
    },
  },
  {
    name: "what a member held is free as soon as it left",
    rule: "R12",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await a.leave();
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 1, "member count right after the member left");
      context.equal(snapshot.held, 0, "sum of what is held right after the member left");
      context.equal((await b.beat()).held, 100, "held of the member that stays");
    },
  },
]);

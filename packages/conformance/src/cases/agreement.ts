import { type CaseDefinition, casesOf } from "../case.ts";

/** R9: when a store answers agree, and what it records then. */
export const agreement: readonly CaseDefinition[] = casesOf({ rule: "R9", needs: ["ledger"] }, [
  {
    name: "the first member agrees with itself and holds the whole capacity",
    async run(context) {
      const store = await context.store();
      const member = context.member(store, context.group());
      const view = await member.join();
      context.equal(view.status, "agree", "status of the first registration");
      context.equal(view.members, 1, "member count");
      context.equal(view.held, 100, "held", "R7");
      context.equal(view.resumeLevel, null, "resumeLevel of an id that was never there", "R13");
      context.equal((await member.beat()).status, "agree", "status of the next sync");
    },
  },
  {
    name: "a join ends the agreement until every member has adopted the new generation",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), group.member()];
      const before = await a.join();
      const joined = await b.join();
      context.equal(joined.status, "disagree", "status of the second member's registration");
      context.equal(joined.members, 2, "member count of the second member's registration");
      context.equal(joined.reportedMembers, 2, "largest member count reported, the newcomer's");
      const heard = await a.beat();
      context.equal(heard.status, "disagree", "status of a report that names the old generation");
      context.equal(
        heard.generation,
        joined.generation,
        "generation in the answer to the first member's next report",
        "R5",
      );
      context.that(heard.generation > before.generation, "the join did not raise the generation", "R5");
      context.equal(
        (await b.beat()).status,
        "disagree",
        "status for the newcomer while the first member has not adopted",
      );
      const adopted = await a.beat();
      context.equal(adopted.status, "agree", "status once the last member adopted");
      context.equal(adopted.held, 50, "held of the first member on agree");
      const [last] = await context.agree(b);
      context.equal(last?.held, 50, "held of the second member on agree");
    },
  },
  {
    name: "agree counts the members, and not only those who report alike",
    why: "the same generation and member count in two reports show nothing of a third member that has not reported",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [group.member(), group.member(), group.member()];
      await a.join();
      await b.join();
      // More than fair: a newcomer with this claim has not adopted by registering.
      await c.join({ claim: 60 });
      for (let round = 0; round < 3; round++) {
        context.equal((await a.beat()).status, "disagree", "status while the third member has not adopted");
        context.equal((await b.beat()).status, "disagree", "status while the third member has not adopted");
      }
      context.equal((await group.inspect()).adopted, 2, "members that have adopted");
      context.equal((await c.beat({ held: 33 })).status, "agree", "status once the third member adopted");
    },
  },
  {
    name: "a report that holds more than fair does not adopt, even when it names the generation",
    why: "such a member still uses tokens that the others would use on agree",
    async run(context) {
      const { a, b } = await context.joinedPair();
      await a.beat();
      const greedy = await a.beat({ held: 80 });
      context.equal(greedy.status, "disagree", "status of a report that holds 80 where fair is 50");
      context.equal(greedy.held, 80, "held as recorded of one that holds 80 where fair is 50", "R7");
      context.equal((await b.beat()).status, "disagree", "status for the other member");
      context.equal((await a.beat({ held: 50 })).status, "agree", "status once it holds no more than fair");
    },
  },
  {
    name: "a report of another generation than the current one does not adopt",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), group.member()];
      const old = await a.join();
      const current = await b.join();
      context.equal(
        (await a.beat({ generation: old.generation, held: 50 })).status,
        "disagree",
        "status after naming the old generation",
      );
      const ahead = await a.beat({ generation: current.generation + 1, held: 50 });
      context.equal(ahead.status, "disagree", "status after naming a generation that does not exist yet");
      const newer = group.member();
      await newer.join();
      context.equal(
        (await group.inspect()).adopted,
        1,
        "members that have adopted the newest generation: the newcomer",
      );
    },
  },
  {
    name: "on agree every member is recorded as holding ceil(capacity / memberCount)",
    why: "each of them owns a token of the remainder in some epochs; a newcomer must not be given that token",
    async run(context) {
      const group = await context.newGroup();
      const members = [group.member(), group.member(), group.member()];
      for (const member of members) await member.join();
      const views = await context.agree(...members);
      context.equal(views.map((view) => view.held).join(" "), "34 34 34", "what each of three members holds of 100");
      const snapshot = await group.inspect();
      context.equal(
        snapshot.members.map((member) => member.held).join(" "),
        "34 34 34",
        "what each of three members holds by inspect()",
      );
      context.equal(snapshot.held, 102, "sum of what is held, remainders included");
      const newcomer = group.member();
      context.equal((await newcomer.join()).held, 0, "what a newcomer gets of a capacity that is held entirely", "R7");
    },
  },
  {
    name: "after a member left, the others agree again only when they adopted that",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [group.member(), group.member(), group.member()];
      for (const member of [a, b, c]) await member.join();
      await context.agree(a, b, c);
      await c.leave();
      const heard = await a.beat();
      context.equal(heard.status, "disagree", "status after a member left");
      context.equal(heard.members, 2, "member count after a member left");
      context.equal(heard.reportedMembers, 3, "largest member count reported since: the one that this report names");
      const adopted = await a.beat();
      context.equal(adopted.status, "disagree", "status while the other member has not adopted");
      context.equal((await b.beat()).status, "disagree", "status in the answer to the other member's next report");
      const [first, second] = await context.agree(b, a);
      context.equal(first?.held, 50, "held after agreeing again");
      context.equal(second?.reportedMembers, 2, "reported member count after agreeing again");
    },
  },
  {
    name: "adoption does not survive a new generation",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [group.member(), group.member(), group.member()];
      await a.join();
      await b.join();
      await context.agree(a, b);
      await c.join();
      const snapshot = await group.inspect();
      context.equal(snapshot.adopted, 1, "members that have adopted after a third one joined: that one");
      await c.leave();
      context.equal((await group.inspect()).adopted, 0, "members that have adopted after it left again");
    },
  },
]);

import { type CaseDefinition, casesOf } from "../case.ts";

/**
 * R19: what a member may use. Of every answer in every case it is checked that it follows from the rest of it.
 */
export const entitlement: readonly CaseDefinition[] = casesOf({ rule: "R19", needs: ["ledger"] }, [
  {
    name: "a member is entitled to the tokens that it holds, and to no more than fair",
    why: "tokens beyond that belong to others; tokens that it does not hold yet may be in use by them",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const before = await a.beat({ held: 100 });
      context.equal(before.held, 100, "held of the first member, which has not given up anything yet");
      context.equal(before.entitled, 50, "what a member is entitled to as one of two");
      await a.beat({ held: 70 });
      const raised = await b.beat();
      context.equal(raised.held, 30, "held of the other where 30 are free");
      context.equal(raised.entitled, 30, "what the other is entitled to where 30 are free");
      await a.beat({ held: 50 });
      context.equal((await b.beat()).entitled, 50, "what the other is entitled to once the rest is free");
      const claiming = group.member();
      context.equal(
        (await claiming.join({ claim: 60 })).entitled,
        33,
        "what one of three that claims 60 is entitled to",
      );
    },
  },
  {
    name: "on agree a member is entitled to its even part, without the token of the remainder that it holds",
    async run(context) {
      const group = await context.newGroup();
      const members = ["a", "b", "c"].map((id) => group.member({ id, max: 11 }));
      for (const member of members) await member.join();
      for (const view of await context.agree(...members)) {
        context.equal(view.held, 4, "held of one of three that agree on 11", "R9");
        context.equal(view.entitled, 3, "what one of three that agree on 11 is entitled to");
      }
    },
  },
]);

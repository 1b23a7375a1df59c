import { type CaseDefinition, casesOf } from "../../case.ts";
import { demandGroup } from "../../demand/demand-group.ts";

/** R24: more is held than there is. */
export const over: readonly CaseDefinition[] = casesOf({ rule: "R24", needs: ["ledger", "demand"] }, [
  {
    name: "while claims are more than the capacity, also one that shares by demand may use the even part at most",
    why: "a member has to stop at once, and the store does not know which of them holds most",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(500, 10);
      await a.beat({ held: 90 });
      await b.beat();
      group.holds([a, b], [90, 10], "of 100, of which all are held");
      const claimer = group.demander(500);
      const claimed = await claimer.join({ rejoin: true, claim: 60 });
      context.equal(claimed.held, 60, "held of one that claims 60 beside 100", "R7");
      context.equal(claimed.entitled, 33, "what one of three is entitled to of 100 where 160 are held");
      const view = await a.beat({ held: 90 });
      context.equal(view.held, 90, "held of one that holds 90 of the 160", "R7");
      context.equal(view.entitled, 33, "what that one is entitled to");
      context.equal((await b.beat()).entitled, 10, "what one is entitled to that holds 10, less than the even part");
      await a.beat({ held: 33 });
      // Of 103 that are held now.
      context.equal(
        (await claimer.beat({ held: 60 })).entitled,
        33,
        "what the one that claims is entitled to where 103 are held",
      );
      await b.beat({ held: 7 });
      const within = await claimer.beat({ held: 60 });
      context.equal(
        within.entitled,
        60,
        "what the one that claims is entitled to where 100 are held, no more than there is",
      );
    },
  },
  {
    name: "after the capacity was lowered each may use the even part at most, until no more is held than there is",
    async run(context) {
      const group = await demandGroup(context);
      const members = await group.joined(500, 5, 5);
      const [a, b, c] = members;
      await group.settle(...members);
      group.holds(members, [90, 5, 5], "of 100");
      await b.beat({ max: 60 });
      const heard = await a.beat({ held: 90, max: 60 });
      context.equal(heard.capacity, 60, "capacity after one declared less", "R6");
      context.equal(heard.entitled, 20, "what one of three is entitled to that holds 90 of 60");
      await a.beat({ held: 20, max: 60 });
      await c.beat({ max: 60 });
      const after = await a.beat({ held: 20, max: 60 });
      context.equal(
        after.entitled,
        50,
        "what that one is entitled to once no more is held than there is: all that is left",
      );
    },
  },
  {
    name: "no member is raised by demand, or has a turn, while more is held than there is",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(500, 500);
      await a.beat({ held: 50 });
      await b.beat();
      const claimer = group.demander(0);
      await claimer.join({ rejoin: true, claim: 80 });
      group.forgetHunger();
      await a.beat({ held: 33 });
      const view = await b.beat({ held: 20 });
      context.equal(view.held, 20, "held of one that wants 512, where 133 of 100 are held");
      await claimer.beat({ held: 0 });
      context.equal(
        (await b.beat()).held,
        50 - 1,
        "held of it once the claim is given up, where two of 100 are kept free",
      );
    },
  },
]);

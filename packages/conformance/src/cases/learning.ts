import { type CaseDefinition, casesOf } from "../case.ts";

/** R8: survivors of a loss of data claim before anybody is raised. */
export const learning: readonly CaseDefinition[] = casesOf({ rule: "R8" }, [
  {
    name: "a group raises no member and does not agree while it learns, and then does both",
    why: "after a loss of data the survivors go on using shares that the store does not know of yet",
    needs: ["ledger", "learnsWhenNew"],
    async run(context) {
      const group = await context.newGroup();
      const learningMs = context.ms(500);
      const [a, b] = [group.member({ learningMs }), group.member({ learningMs })];
      for (const member of [a, b]) {
        const view = await member.join();
        if (view.groupAgeMs < learningMs) {
          context.equal(view.learning, true, "learning in a group that is younger than learningMs");
          context.equal(view.held, 0, "held of a member that joins a learning group");
          context.equal(view.status, "disagree", "status in a learning group");
        }
      }
      await context.until(async () => {
        const view = await a.beat();
        const young = view.groupAgeMs < learningMs;
        context.equal(
          view.learning,
          young,
          `learning in a group of ${view.groupAgeMs} ms with learningMs ${learningMs}`,
        );
        if (!young) return view;
        context.equal(view.held, 0, "held while the group learns");
        return undefined;
      }, "the group never ends learning");
      const views = await context.agree(a, b);
      context.equal(views.map((view) => view.held).join(" "), "50 50", "what each holds after learning");
      const late = await group.member({ learningMs }).join();
      context.equal(
        late.learning,
        false,
        `learning in a group of ${late.groupAgeMs} ms that a member joins with ${learningMs}`,
      );
    },
  },
  {
    name: "claims are accepted while the group learns, and count afterwards",
    needs: ["ledger", "learnsWhenNew"],
    async run(context) {
      const group = await context.newGroup();
      const learningMs = context.ms(400);
      const newcomer = group.member({ learningMs });
      await newcomer.join();
      const survivor = group.member({ learningMs });
      const claimed = await survivor.join({ rejoin: true, claim: 80 });
      context.equal(claimed.held, 80, "held of a survivor that claims 80", "R7");
      const raised = await context.until(async () => {
        const view = await newcomer.beat();
        return view.learning ? undefined : view;
      }, "the group never ends learning");
      context.equal(raised.held, 20, "held of the newcomer after learning, where 80 of 100 are claimed", "R7");
    },
  },
  {
    name: "the largest learningMs registered counts, from the creation of the group",
    needs: ["ledger"],
    async run(context) {
      const group = await context.newGroup();
      const first = group.member({ learningMs: 0 });
      context.equal((await first.join()).learning, false, "learning of a group whose only member asks for none");
      // Longer than the store's data can be old.
      const second = group.member({ learningMs: 1e11, staleAfterMs: 1e11 });
      context.equal((await second.join()).learning, true, "learning after a member asked for more");
      const third = group.member({ learningMs: context.ms(10) });
      context.equal((await third.join()).learning, true, "learning after a member asked for less");
      const view = await first.beat();
      context.equal(view.learning, true, "learning for the first member");
      context.equal(view.status, "disagree", "status for the first member");
      context.equal((await group.inspect()).learning, true, "learning in inspect");
    },
  },
]);

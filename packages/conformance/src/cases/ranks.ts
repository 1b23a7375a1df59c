import type { MemberView } from "@dt/core";
import type { CaseDefinition } from "../case.ts";
import type { Member } from "../member.ts";

/** R10: ranks say who owns which token, so two members must never share one. */
export const ranks: readonly CaseDefinition[] = [
  {
    name: "the members' ranks are dense and unique in every generation, as they come and go",
    rule: "R10",
    why: "two members with one rank own the same tokens; a rank without a member wastes its tokens",
    needs: ["ledger"],
    async run(context) {
      const group = await context.newGroup();
      const members: Member[] = [];
      for (let step = 0; step < 24; step++) {
        if (members.length < 3 || context.random() < 0.55) {
          const member = group.member();
          const view = await member.join();
          members.push(member);
          context.equal(view.members, members.length, "member count after a join", "R9");
        } else {
          const [leaver] = members.splice(Math.floor(context.random() * members.length), 1);
          await (leaver as Member).leave();
        }
        const views: MemberView[] = [];
        for (const member of members) views.push(await member.beat());
        const generation = views[0]?.generation;
        context.that(
          views.every((view) => view.generation === generation),
          "the generation changed although no member came or went",
          "R5",
        );
        const seen = views.map((view) => view.rank);
        const expected = members.map((_, index) => index);
        context.equal(
          JSON.stringify([...seen].sort((x, y) => x - y)),
          JSON.stringify(expected),
          `the ranks answered to ${members.length} members, sorted`,
        );
        const inspected = (await group.inspect()).members.map((member) => member.incarnation);
        const answered = expected.map((rank) => members[seen.indexOf(rank)]?.ref.incarnation);
        context.equal(
          JSON.stringify(inspected),
          JSON.stringify(answered),
          "the members in the order of inspect and of the ranks answered",
        );
      }
    },
  },
];

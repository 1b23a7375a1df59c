import { type CaseDefinition, casesOf } from "../case.ts";

/** R14: one epoch length for a group. */
export const intervals: readonly CaseDefinition[] = casesOf({ rule: "R14", needs: ["ledger"] }, [
  {
    name: "a registration with another interval is refused while the group has members, and changes nothing",
    why: "two epoch lengths in one group cannot be added up to one limit",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member({ intervalMs: 1_000 });
      const joined = await member.join();
      const other = group.member({ intervalMs: 500 });
      // Not by the member, who would look first at what an answer with another interval entitles it to.
      const error = await context.refused(
        group.store.register(group.name, other.registration({ seq: 1 })),
        ["DT_INTERVAL_MISMATCH"],
        "a registration with intervalMs 500 in a group with 1,000",
      );
      context.equal(error.effect, "definite", "effect of the refusal", "R16");
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 1, "member count after the refusal");
      context.equal(snapshot.generation, joined.generation, "generation after the refusal", "R5");
      context.equal(snapshot.intervalMs, 1_000, "the group's interval after the refusal");
      context.equal((await other.sync()).status, "unknown", "status of the refused one's sync", "R3");
    },
  },
  {
    name: "an empty group takes another interval",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member({ intervalMs: 1_000 });
      await member.join();
      await member.leave();
      await group.member({ intervalMs: 250.5 }).join();
      context.equal(
        (await group.inspect()).intervalMs,
        250.5,
        "the group's interval after all members left and one joined with 250.5",
      );
    },
  },
]);

import type { CaseDefinition } from "../case.ts";

/** R14: one epoch length for a group. */
export const intervals: readonly CaseDefinition[] = [
  {
    name: "a registration with another interval is refused while the group has members, and changes nothing",
    rule: "R14",
    why: "two epoch lengths in one group cannot be added up to one limit",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const member = context.member(store, group, { intervalMs: 1_000 });
      const joined = await member.join();
      const other = context.member(store, group, { intervalMs: 500 });
      const error = await context.refused(
        other.register(),
        ["DT_INTERVAL_MISMATCH"],
        "a registration with intervalMs 500 in a group with 1,000",
      );
      context.equal(error.effect, "definite", "effect of the refusal", "R16");
      const snapshot = await store.inspect(group);
      context.equal(snapshot.poolSize, 1, "pool size after the refusal");
      context.equal(snapshot.generation, joined.generation, "generation after the refusal", "R5");
      context.equal(snapshot.intervalMs, 1_000, "the group's interval after the refusal");
      context.equal((await other.sync()).status, "unknown", "status of the refused one's sync", "R3");
    },
  },
  {
    name: "an empty group takes another interval",
    rule: "R14",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const member = context.member(store, group, { intervalMs: 1_000 });
      await member.join();
      await member.leave();
      await context.member(store, group, { intervalMs: 250.5 }).join();
      context.equal(
        (await store.inspect(group)).intervalMs,
        250.5,
        "the group's interval after everybody left and one joined with 250.5",
      );
    },
  },
];

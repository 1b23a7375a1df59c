import type { CaseDefinition } from "../case.ts";

/** R17. */
export const roundTrips: readonly CaseDefinition[] = [
  {
    name: "a sync in steady state is one round trip, however many members there are",
    rule: "R17",
    needs: ["ledger", "roundTrips"],
    async run(context) {
      const group = await context.newGroup();
      const members = Array.from({ length: 20 }, () => group.member());
      for (const member of members) await member.join();
      await context.agree(...members);
      const count = async (): Promise<number> => (await context.target.roundTrips?.()) as number;
      const syncs = 100;
      const before = await count();
      for (let i = 0; i < syncs; i++) await members[i % members.length]?.beat();
      const trips = (await count()) - before;
      // Connections have their own small talk: keep-alives, lease renewals.
      context.that(trips <= syncs * 1.05, `${syncs} syncs took ${trips} round trips`);
    },
  },
];

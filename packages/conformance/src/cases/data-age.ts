import type { CaseDefinition } from "../case.ts";

/**
 * R8 of a store that can tell since when its data was certainly not lost. What it makes of a loss is among the faults.
 */
export const dataAge: readonly CaseDefinition[] = [
  {
    name: "a group that is new in old data does not learn: its first member has its tokens at once",
    rule: "R8",
    needs: ["ledger", "dataAge"],
    async run(context) {
      const store = await context.store();
      // Shares that are on record no more may be in use for a stale age, so the data must be older than that as well.
      const times = { learningMs: context.ms(200), staleAfterMs: context.ms(100) };
      const view = await context.until(
        async () => {
          const first = await context.member(store, context.group(), times).join();
          return first.learning ? undefined : first;
        },
        "a group that is new learns, however old the data is",
        50,
      );
      context.equal(view.status, "agree", "status of the first member of a group that does not learn");
      context.equal(view.held, 100, "held of the first member of a group that does not learn");
    },
  },
];

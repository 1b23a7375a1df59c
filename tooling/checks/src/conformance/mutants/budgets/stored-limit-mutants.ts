import { budgetMutant, type Mutant } from "../flaw.ts";

/** B13: what a budget makes of its limit record. */
export const storedBudgetMutants: readonly Mutant[] = [
  budgetMutant("a request with stored does not look at the record", "B13", {
    spend: ({ table }, proceed) => {
      table.record = undefined;
      return proceed();
    },
  }),
  budgetMutant("a request without stored goes by its own limits", "B13", {
    spend: ({ table, request }, proceed) => {
      const row = table.row();
      if (row && !request.stored) table.putRow({ ...row, stored: undefined });
      return proceed();
    },
  }),
  budgetMutant("another limit forgets what was spent", "B13", {
    spend: ({ table, request }, proceed) => {
      const row = table.row();
      const isOther = row?.stored && row.stored.revision !== (table.record?.revision ?? 0);
      if (row && request.stored && isOther)
        table.putRow({ ...row, limits: row.limits.map((limit) => ({ ...limit, slots: [], units: [] })) });
      return proceed();
    },
  }),
  budgetMutant("a repeat takes in other limits", "B13", {
    spend: ({ table, request }, proceed) => {
      const answer = proceed();
      if (!table.record?.values || !request.stored) return answer;
      const set: Readonly<Record<string, number>> = JSON.parse(table.record.values);
      return { ...answer, maxes: request.limits.map(({ name, max }) => set[name] ?? max) };
    },
  }),
];

import { termsMismatch } from "@dt/core/ledger";
import { budgetMutant, type Mutant } from "../flaw.ts";

/** B9: what users agree on. */
export const termsMutants: readonly Mutant[] = [
  budgetMutant("terms are ignored", "B9", {
    spend: ({ request: { terms: _, formerTerms: __, ...request } }, proceed) => proceed(request),
  }),
  budgetMutant("a request with other terms is refused and settles all the same", "B9", {
    spend: ({ request: { terms: _, formerTerms: __, reserve: ___, ...request } }, proceed) => {
      try {
        return proceed();
      } catch (error) {
        proceed(request);
        throw error;
      }
    },
  }),
  budgetMutant("a reservation without terms is refused once a budget has some", "B9", {
    spend: ({ table, request }, proceed) => {
      const recorded = table.budget?.terms;
      if (recorded !== undefined && request.terms === undefined && request.reserve) throw termsMismatch(recorded, "");
      return proceed();
    },
  }),
  budgetMutant("a settlement with other terms is refused", "B9", {
    spend: ({ table, request: { terms, reserve } }, proceed) => {
      const recorded = table.budget?.terms;
      const isOther = recorded !== undefined && terms !== undefined && terms !== recorded;
      if (isOther && !reserve) throw termsMismatch(recorded, terms);
      return proceed();
    },
  }),
  budgetMutant("terms bind a budget for ever", "B9", {
    spend: ({ table, request: { terms, formerTerms } }, proceed) => {
      const { terms: recorded, formerTerms: former } = table.budget ?? {};
      const isOne = terms === undefined || terms === recorded || formerTerms === recorded || terms === former;
      if (recorded !== undefined && !isOne) throw termsMismatch(recorded, terms);
      return proceed();
    },
  }),
  budgetMutant("terms that take the place of others are refused", "B9", {
    spend: ({ request: { formerTerms: _, ...request } }, proceed) => proceed(request),
  }),
];

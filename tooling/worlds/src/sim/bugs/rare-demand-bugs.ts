import { type Bug, bug } from "./bug.ts";

/** Faults of shares that follow demand that no caller ever sees: for the model, which looks at the ledger's rows. */
export const RARE_DEMAND_BUGS: readonly Bug[] = [
  bug("demand-own-tokens-free", "what the asking member holds itself counts as free", {
    "ledger/demand.ts": {
      demandRaise:
        ({ demandRaise }) =>
        (row, member, ...asked) =>
          demandRaise({ ...row, held: row.held - member.held }, member, ...asked),
    },
  }),
];

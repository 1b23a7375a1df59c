import { type Bug, bug } from "./bug.ts";

/** Faults of what starts at once that random schedules hardly ever show: for the model, which walks them all. */
export const RARE_START_BUGS: readonly Bug[] = [
  bug("stale-counts-unspent", "what a member held that was removed counts as not used", {
    "ledger/freed.ts": {
      free:
        ({ free }) =>
        (row, tokens, kept, use) =>
          free(row, tokens, kept, use ?? { epoch: Number.MAX_SAFE_INTEGER, used: 0 }),
    },
  }),
  bug("new-in-old-data-unspent", "of a group that is new in data that are older than it nothing counts as used", {
    "ledger/aggregates.ts": {
      newGroup:
        ({ newGroup }) =>
        (registration, clockMs, dataSinceMs) => {
          const row = newGroup(registration, clockMs, dataSinceMs);
          return dataSinceMs <= clockMs ? { ...row, freedEpoch: 0 } : row;
        },
    },
  }),
  bug("spent-while-learning", "what is spent while a group learns counts as all that nobody knows of", {
    "ledger/freed.ts": {
      spendAll:
        ({ newestEpoch }) =>
        (row) => {
          row.freedEpoch = Math.max(row.freedEpoch ?? 0, newestEpoch(row));
          row.spent = Number.MAX_SAFE_INTEGER;
        },
    },
  }),
];

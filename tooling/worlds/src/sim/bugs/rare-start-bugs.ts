import { type Bug, bug } from "./bug.ts";

/**
 * Faults that random schedules hardly ever show: for the model, which walks them all. And one that was found in
 * earnest, which a test of the simulator looks for.
 */
export const RARE_START_BUGS: readonly Bug[] = [
  bug("charged-below-nothing", "what was deposited while a report gave it up is taken off once more", {
    "shares/allotment.ts": {
      Allotment: ({ Allotment }) =>
        class extends Allotment {
          #below = 0;
          override get charged(): number {
            return super.charged - this.#below;
          }
          override begin(): void {
            this.#below = 0;
            super.begin();
          }
          override discharge(n: number): void {
            this.#below += Math.max(0, n - super.charged);
            super.discharge(n);
          }
        },
    },
  }),
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

import type { Farewell } from "@dt/core";
import { firstSafeEpoch, isLearning } from "@dt/core/ledger";
import type { Bug } from "./bug.ts";
import { heartbeats, lying, onRows, storing } from "./seams.ts";

/** Faults of what is reported and remembered of tokens that were used and given up: they may start again too early. */
export const USE_BUGS: readonly Bug[] = [
  {
    name: "spent-ignored",
    what: "every raise starts at once, as if the free tokens were not used in the epoch",
    ledger: onRows((table) => ({
      group: () => {
        const row = table.group();
        return row && { ...row, spent: 0 };
      },
    })),
  },
  {
    name: "spent-lowered-by-raises",
    what: "tokens that are given to another member are not spent any more",
    ledger: heartbeats((view, { table, unraised }) => {
      const group = table.group();
      const later = Math.max(0, view.held - unraised - view.early);
      if (group) table.putGroup({ ...group, spent: Math.max(0, group.spent - later) });
      return view;
    }),
  },
  {
    name: "freed-in-an-older-epoch",
    what: "tokens become free in an older epoch than in which they were used",
    ledger: ({ register, sync, deregister }) => ({
      register,
      sync: (table, ref, report, clockMs) => sync(table, ref, usedBefore(report), clockMs),
      deregister: (table, ref, farewell, clockMs) => deregister(table, ref, usedBefore(farewell), clockMs),
    }),
  },
  {
    name: "freed-epoch-stands-still",
    what: "what becomes free in a newer epoch counts for the one before",
    ledger: storing((row, before) => ({
      freedEpoch: row.freedEpoch === null ? null : (before.freedEpoch ?? row.freedEpoch),
    })),
  },
  {
    name: "farewell-counts-unspent",
    what: "what a member held that left counts as not used",
    ledger: (ledger) => ({
      ...ledger,
      deregister: (table, ref, farewell, clockMs) => ledger.deregister(table, ref, unused(farewell), clockMs),
    }),
  },
  {
    name: "farewell-of-another",
    what: "an old farewell frees what the next process under the id holds",
    from: 180,
    ledger: (ledger) => ({
      ...ledger,
      deregister: (table, ref, ...said) => {
        const { incarnation } = table.holderOf(ref.id) ?? ref;
        ledger.deregister(table, { ...ref, incarnation }, ...said);
      },
    }),
  },
  {
    name: "growth-unspent",
    what: "what a larger capacity adds may be used at once",
    ledger: storing((row, { capacity, freedEpoch, spent }) => (row.capacity > capacity ? { freedEpoch, spent } : row)),
  },
  {
    name: "use-not-told",
    what: "a report states that nothing was used",
    store: lying(() => ({ sync: unused })),
  },
];

/** Faults that random schedules hardly ever show: for the model, which walks them all. */
export const RARE_BUGS: readonly Bug[] = [
  {
    name: "raise-without-clock-error",
    what: "a raise starts in the next epoch even when clocks may disagree on which that is",
    ledger: heartbeats((view, { table }) => {
      const { intervalMs = 1 } = table.group() ?? {};
      return { ...view, fromEpoch: Math.min(view.fromEpoch, firstSafeEpoch(view.storeTimeMs, 0, intervalMs)) };
    }),
  },
  {
    name: "learning-ends-unspent",
    what: "a group that has learned takes what is free for not used",
    ledger: storing((row, before) => (before.freedEpoch === null ? { spent: 0 } : row)),
  },
  {
    name: "stale-counts-unspent",
    what: "what a member held that was removed counts as not used",
    ledger: (ledger) => ({
      ...ledger,
      sync: (table, ref, report, clockMs) => {
        const before = table.group();
        const { memberCount = 0 } = before ?? {};
        const view = ledger.sync(table, ref, report, clockMs);
        const row = table.group();
        if (before && row && row.memberCount < memberCount)
          table.putGroup({ ...row, spent: row.freedEpoch === before.freedEpoch ? before.spent : 0 });
        return view;
      },
    }),
  },
  {
    name: "new-in-old-data-unspent",
    what: "of a group that is new in data that are older than it nothing counts as used",
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, clockMs, sinceMs = Number.POSITIVE_INFINITY) => {
        const isNew = table.group() === undefined;
        const view = ledger.register(table, registration, clockMs, sinceMs);
        const row = table.group();
        if (isNew && row && sinceMs <= clockMs) table.putGroup({ ...row, freedEpoch: 0, spent: 0 });
        return view;
      },
    }),
  },
  {
    name: "spent-while-learning",
    what: "tokens spent while a group learns count as all that are not on record",
    ledger: storing((row) =>
      isLearning(row) ? { freedEpoch: Math.floor(row.lastMs / row.intervalMs), spent: row.capacity } : {},
    ),
  },
];

function unused<Said extends Pick<Farewell, "use">>(said: Said): Said {
  return said.use ? { ...said, use: { ...said.use, used: 0 } } : said;
}

function usedBefore<Said extends Pick<Farewell, "use">>(said: Said): Said {
  return said.use ? { ...said, use: { ...said.use, epoch: said.use.epoch - 1 } } : said;
}

import type { Farewell, Use } from "@dt/core";
import type { GroupRow, LedgerTable } from "@dt/core/ledger";
import { type Bug, bug } from "./bug.ts";
import { saying } from "./exchange-bugs.ts";
import { heartbeats } from "./ledger-bugs.ts";

/**
 * Faults of what is said and remembered of tokens that were used, and then given up: they may start again too early.
 */
export const START_BUGS: readonly Bug[] = [
  bug("spent-ignored", "every raise starts at once, as if nobody had used what is free", {
    "ledger/freed.ts": {
      unspent:
        () =>
        ({ freedEpoch, capacity, held }) =>
          freedEpoch === null ? 0 : Math.max(0, capacity - held),
    },
  }),
  bug("spent-lowered-by-raises", "tokens that are given to somebody else are not spent any more", {
    "ledger/ledger.ts": heartbeats((view, { table, unraised }) => {
      const group = table.group() as GroupRow;
      const later = Math.max(0, view.held - unraised - view.early);
      table.putGroup({ ...group, spent: Math.max(0, group.spent - later) });
      return view;
    }),
  }),
  bug("freed-in-an-older-epoch", "tokens become free in an older epoch than in which they were used", {
    "ledger/freed.ts": {
      free:
        ({ free }) =>
        (row, tokens, kept, use) =>
          free(row, tokens, kept, use && { ...use, epoch: use.epoch - 1 }),
    },
  }),
  bug("freed-epoch-stands-still", "what becomes free in a newer epoch counts for the one before", {
    "ledger/freed.ts": {
      free:
        ({ free }) =>
        (row, ...freed) => {
          const { freedEpoch } = row;
          free(row, ...freed);
          row.freedEpoch = freedEpoch;
        },
    },
  }),
  bug("farewell-counts-unspent", "what a member held that left counts as not used", {
    "ledger/ledger.ts": {
      deregister:
        ({ deregister }) =>
        (table, ref, farewell, clockMs) =>
          deregister(table, ref, unused(farewell), clockMs),
    },
  }),
  bug("farewell-of-another", "an old farewell frees what the next process under the id holds", {
    "ledger/ledger.ts": {
      deregister:
        ({ deregister }) =>
        (table, ref, ...said) =>
          deregister(table, { ...ref, incarnation: table.holderOf(ref.id)?.incarnation ?? ref.incarnation }, ...said),
    },
  }),
  bug("learning-ends-unspent", "a group that has learned takes what is free for not used", {
    "ledger/freed.ts": {
      settle:
        ({ settle, newestEpoch }) =>
        (row) => {
          const known = row.freedEpoch !== null;
          settle(row);
          if (!known && row.freedEpoch !== null) Object.assign(row, { freedEpoch: newestEpoch(row), spent: 0 });
        },
    },
  }),
  bug("growth-unspent", "what a larger capacity adds may be used at once", {
    "ledger/aggregates.ts": {
      capacityChanged: ({ capacityChanged }) => withoutSpending(capacityChanged),
      membershipChanged: ({ membershipChanged }) => withoutSpending(membershipChanged),
    },
  }),
  bug("rejoin-unspent", "of one that comes back after it was forgotten nothing counts as used", {
    "ledger/ledger.ts": {
      register:
        ({ register }) =>
        (table, registration, ...times) => {
          const before = table.group();
          const known = table.member(registration.incarnation);
          const view = register(table, registration, ...times);
          const after = table.group();
          if (registration.rejoin && !known && before && after && after.freedEpoch !== null)
            table.putGroup({ ...after, freedEpoch: before.freedEpoch ?? 0, spent: before.spent });
          return view;
        },
    },
  }),
  bug("use-not-told", "a report says that nothing was used", {
    "consensus/exchange.ts": saying(() => ({
      sync: (report) => unused(report),
    })),
  }),
  bug("spent-without-an-answer", "what a report gives up counts no more, although the store may not have heard of it", {
    "consensus/exchange.ts": {
      Exchange: ({ Exchange }) =>
        class extends Exchange {
          readonly #giveUp: () => void;
          constructor(...[settings, host, calls, soon]: ConstructorParameters<typeof Exchange>) {
            super(settings, { ...host, spent: () => undefined }, calls, soon);
            this.#giveUp = () => {
              const use = host.use();
              if (use) host.spent(use, use.used - this.holding.held);
            };
          }
          override sync(): ReturnType<InstanceType<typeof Exchange>["sync"]> {
            const answer = super.sync();
            this.#giveUp();
            return answer;
          }
        },
    },
  }),
  bug("spent-twice", "what was given up is taken off twice", {
    "throttle/allowance.ts": {
      Allowance: ({ Allowance }) =>
        class extends Allowance {
          override discharge(use: Use, tokens: number): void {
            super.discharge(use, 2 * tokens);
          }
        },
    },
  }),
];

/** The same change of a group's row, but nothing is spent by it. */
function withoutSpending(change: (table: LedgerTable, row: GroupRow) => void): typeof change {
  return (table, row) => {
    const { freedEpoch, spent } = row;
    change(table, row);
    Object.assign(row, { freedEpoch, spent });
  };
}

function unused<Said extends Pick<Farewell, "use">>(said: Said): Said {
  return said.use ? { ...said, use: { ...said.use, used: 0 } } : said;
}

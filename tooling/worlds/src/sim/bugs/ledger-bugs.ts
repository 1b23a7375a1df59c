import type { MemberView, View } from "@dt/core";
import type { GroupRow, LedgerTable, MemberRow } from "@dt/core/ledger";
import { type Bug, bug } from "./bug.ts";
import type { Replacements } from "./seams.ts";

/** Faults of the store's side of the protocol, as core has it. */
export const LEDGER_BUGS: readonly Bug[] = [
  bug("raise-beyond-free", "a member is raised to fair whatever the others hold", {
    "ledger/ledger.ts": heartbeats((view, beat) =>
      view.status === "agree" || view.learning ? view : holding(view, beat, Math.max(view.held, evenPart(beat))),
    ),
  }),
  bug("raise-not-recorded", "a raise is answered but not recorded", {
    "ledger/ledger.ts": heartbeats((view, beat) => {
      holding(view, beat, beat.unraised);
      return view;
    }),
  }),
  bug("repeats-count", "a repeated or late report counts like a new one", {
    "ledger/ledger.ts": {
      register:
        ({ register }) =>
        (table, registration, ...times) => {
          makeOlder(table, registration.incarnation, registration.seq);
          return register(table, registration, ...times);
        },
      sync:
        ({ sync }) =>
        (table, ref, report, clockMs) => {
          makeOlder(table, ref.incarnation, report.seq);
          return sync(table, ref, report, clockMs);
        },
    },
  }),
  bug("agree-one-short", "one member need not have adopted the generation", {
    "ledger/ledger.ts": heartbeats((view, beat) => {
      const group = beat.table.group();
      if (view.status === "agree" || view.learning || !group || group.adopted < group.poolSize - 1) return view;
      beat.table.putGroup({ ...group, largestPoolSize: group.poolSize });
      const most = Math.max(view.held, Math.ceil(group.capacity / group.poolSize));
      return { ...holding(view, beat, most), status: "agree", reportedPoolSize: group.poolSize };
    }),
  }),
  bug("remainder-not-recorded", "the token of a remainder is not recorded as held", {
    "ledger/ledger.ts": heartbeats((view, beat) =>
      view.status === "agree"
        ? { ...holding(view, beat, Math.max(beat.unraised, view.entitled)), held: view.held }
        : view,
    ),
  }),
  bug("removal-without-generation", "a stale member is removed without a new generation", removalUnnoticed()),
  bug("stale-too-early", "a member goes stale in half its stale age", {
    "ledger/ledger.ts": heartbeats((view, { table, incarnation, isReport }) => {
      const member = table.member(incarnation);
      if (isReport && member) table.putMember({ ...member, expiresAtMs: member.expiresAtMs - member.staleAfterMs / 2 });
      return view;
    }),
  }),
  bug("ranks-with-gaps", "nobody moves into the rank of a member that left", {
    "ledger/ledger.ts": {
      register:
        ({ register }) =>
        (table, ...said) =>
          register(withGaps(table), ...said),
      sync:
        ({ sync }) =>
        (table, ...said) =>
          sync(withGaps(table), ...said),
      deregister:
        ({ deregister }) =>
        (table, ...said) =>
          deregister(withGaps(table), ...said),
    },
  }),
  bug("capacity-of-the-newest", "a newcomer's max replaces a smaller one", {
    "ledger/aggregates.ts": {
      countIn:
        ({ countIn }) =>
        (row, member) => {
          countIn(row, member);
          row.capacity = member.max;
        },
    },
  }),
  bug("capacity-change-unnoticed", "a changed max makes no new generation", {
    "ledger/aggregates.ts": {
      capacityChanged: () => (table, row) => {
        row.capacity = table.smallestMax() as number;
      },
    },
  }),
  bug("learning-skipped", "a store that lost its data raises at once", {
    "ledger/aggregates.ts": { learningOf: () => () => 0 },
  }),
  bug(
    "late-registration-fences",
    "a registration fences the holder of its id at once, although it may be a late message of a dead process",
    {
      "ledger/ledger.ts": {
        register:
          ({ register }) =>
          (table, registration, ...times) => {
            const known = table.member(registration.incarnation);
            const holder = table.holderOf(registration.id);
            const view = register(table, registration, ...times);
            const member = table.member(registration.incarnation);
            if (known || !member) return view;
            const still = holder && table.member(holder.incarnation);
            if (still) table.putMember({ ...still, standing: "fenced" });
            table.putMember({ ...member, standing: "holder" });
            return view;
          },
      },
    },
  ),
];

/** A registration or a report that was taken for a member's. */
interface Heartbeat {
  readonly table: LedgerTable;
  readonly incarnation: string;
  /** What it held before it was raised, if it was. */
  readonly unraised: number;
  /** A member was there already, and this was news of it. */
  readonly isReport: boolean;
}

/** The real functions, and then what `spoil` makes of the rows and of the answer. */
export function heartbeats(spoil: (view: MemberView, beat: Heartbeat) => MemberView): Replacements<"ledger/ledger.ts"> {
  const spoiled = (
    table: LedgerTable,
    incarnation: string,
    said: { readonly seq: number; readonly held: number },
    run: () => View,
  ): View => {
    const before = table.member(incarnation);
    const view = run();
    if (view.status !== "agree" && view.status !== "disagree") return view;
    const isReport = before !== undefined && said.seq > before.seq;
    const unraised = before ? Math.min(before.held, isReport ? said.held : before.held) : said.held;
    return spoil(view, { table, incarnation, unraised, isReport });
  };
  return {
    register:
      ({ register }) =>
      (table, registration, ...times) => {
        const { incarnation, seq, claim } = registration;
        return spoiled(table, incarnation, { seq, held: claim }, () => register(table, registration, ...times));
      },
    sync:
      ({ sync }) =>
      (table, ref, report, clockMs) =>
        spoiled(table, ref.incarnation, report, () => sync(table, ref, report, clockMs)),
  };
}

/** The member holds so many tokens, on record and by the answer. */
function holding(view: MemberView, { table, incarnation }: Heartbeat, held: number): MemberView {
  const group = table.group();
  const member = table.member(incarnation);
  if (!group || !member) return view;
  table.putGroup({ ...group, held: group.held + held - member.held });
  table.putMember({ ...member, held });
  const entitled = view.status === "agree" ? view.entitled : Math.min(held, evenPart({ table }));
  return { ...view, held, entitled };
}

/** What a member may hold without agreement. */
function evenPart({ table }: Pick<Heartbeat, "table">): number {
  const { capacity, poolSize } = table.group() as GroupRow;
  return Math.floor(capacity / poolSize);
}

/** Whatever a member said last, this is newer. */
function makeOlder(table: LedgerTable, incarnation: string, seq: number): void {
  const member = table.member(incarnation);
  if (member && member.seq >= seq) table.putMember({ ...member, seq: seq - 1 });
}

/** The table, but a member that is there keeps its rank. */
function withGaps(table: LedgerTable): LedgerTable {
  const putMember = (row: MemberRow): void =>
    table.putMember({ ...row, rank: table.member(row.incarnation)?.rank ?? row.rank });
  return new Proxy(table, {
    get: (target, name) => {
      if (name === "putMember") return putMember;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** Of removals only those are noticed that a member asked for. */
function removalUnnoticed(): Bug["breaks"] {
  let leaving = false;
  return {
    "ledger/ledger.ts": {
      deregister:
        ({ deregister }) =>
        (...said) => {
          leaving = true;
          deregister(...said);
          leaving = false;
        },
    },
    "ledger/aggregates.ts": {
      membershipChanged:
        ({ membershipChanged }) =>
        (table, row) => {
          if (leaving) membershipChanged(table, row);
        },
    },
  };
}

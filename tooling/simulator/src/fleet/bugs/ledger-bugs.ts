import type { LedgerTable } from "@dt/core/ledger";
import type { Bug } from "./bug.ts";
import { evenPart, heartbeats, holding, onRows } from "./seams.ts";

/** Faults of the store's side of the protocol: of its answers, and of the rows that it keeps. */
export const LEDGER_BUGS: readonly Bug[] = [
  {
    name: "raise-beyond-free",
    what: "a member is raised to fair whatever the others hold",
    ledger: heartbeats((view, beat) =>
      view.status === "agree" || view.learning ? view : holding(view, beat, Math.max(view.held, evenPart(beat.table))),
    ),
  },
  {
    name: "raise-not-recorded",
    what: "a raise is answered but not recorded",
    ledger: heartbeats((view, beat) => {
      holding(view, beat, beat.unraised);
      return view;
    }),
  },
  {
    name: "repeats-count",
    what: "a repeated or late report counts like a new one",
    ledger: ({ register, sync, deregister }) => ({
      deregister,
      register: (table, registration, ...times) => {
        makeOlder(table, registration.incarnation, registration.seq);
        return register(table, registration, ...times);
      },
      sync: (table, ref, report, clockMs) => {
        makeOlder(table, ref.incarnation, report.seq);
        return sync(table, ref, report, clockMs);
      },
    }),
  },
  {
    name: "agree-one-short",
    what: "one member need not have adopted the generation",
    ledger: heartbeats((view, beat) => {
      const group = beat.table.group();
      if (view.status === "agree" || view.learning || !group || group.adopted < group.memberCount - 1) return view;
      beat.table.putGroup({ ...group, largestMemberCount: group.memberCount });
      const most = Math.max(view.held, Math.ceil(group.capacity / group.memberCount));
      return { ...holding(view, beat, most), status: "agree", reportedMembers: group.memberCount };
    }),
  },
  {
    name: "remainder-not-recorded",
    what: "the token of a remainder is not recorded as held",
    ledger: heartbeats((view, beat) =>
      view.status === "agree"
        ? { ...holding(view, beat, Math.max(beat.unraised, view.entitled)), held: view.held }
        : view,
    ),
  },
  {
    name: "removal-without-generation",
    what: "a stale member is removed without a new generation",
    ledger: (ledger) => ({
      ...ledger,
      sync: (table, ref, report, clockMs) => {
        const before = table.group();
        let removed = false;
        const watched: Partial<LedgerTable> = {
          deleteMember: (row) => {
            removed = true;
            table.deleteMember(row);
          },
          putGroup: (row) => table.putGroup(removed && before ? { ...row, generation: before.generation } : row),
        };
        return onRows(() => watched)(ledger).sync(table, ref, report, clockMs);
      },
    }),
  },
  {
    name: "stale-too-early",
    what: "a member goes stale in half its stale age",
    ledger: heartbeats((view, { table, incarnation, isReport }) => {
      const member = table.member(incarnation);
      if (isReport && member) table.putMember({ ...member, expiresAtMs: member.expiresAtMs - member.staleAfterMs / 2 });
      return view;
    }),
  },
  {
    name: "ranks-with-gaps",
    what: "nobody moves into the rank of a member that left",
    ledger: onRows((table) => ({
      putMember: (row) => table.putMember({ ...row, rank: table.member(row.incarnation)?.rank ?? row.rank }),
    })),
  },
  {
    name: "capacity-of-the-newest",
    what: "a newcomer's max replaces a smaller one",
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, ...times) => {
        const known = table.member(registration.incarnation);
        const view = ledger.register(table, registration, ...times);
        const row = table.group();
        if (row && !known && table.member(registration.incarnation))
          table.putGroup({ ...row, capacity: registration.max });
        return view;
      },
    }),
  },
  {
    name: "capacity-change-unnoticed",
    what: "a changed max makes no new generation",
    ledger: (ledger) => ({
      ...ledger,
      sync: (table, ref, report, clockMs) => {
        const member = table.member(ref.incarnation);
        if (member) table.putMember({ ...member, max: report.max });
        const row = table.group();
        if (member && row) table.putGroup({ ...row, capacity: table.smallestMax() ?? row.capacity });
        return ledger.sync(table, ref, report, clockMs);
      },
    }),
  },
  {
    name: "learning-skipped",
    what: "a store that lost its data raises at once",
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, ...times) => ledger.register(table, { ...registration, learningMs: 0 }, ...times),
    }),
  },
  {
    name: "late-registration-fences",
    what: "a registration fences the holder of its id at once, although it may be a late message of a dead process",
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, ...times) => {
        const known = table.member(registration.incarnation);
        const holder = table.holderOf(registration.id);
        const view = ledger.register(table, registration, ...times);
        const member = table.member(registration.incarnation);
        if (known || !member) return view;
        const still = holder && table.member(holder.incarnation);
        if (still) table.putMember({ ...still, standing: "fenced" });
        table.putMember({ ...member, standing: "holder" });
        return view;
      },
    }),
  },
];

/** Whatever a member said last, this is newer. */
function makeOlder(table: LedgerTable, incarnation: string, seq: number): void {
  const member = table.member(incarnation);
  if (member && member.seq >= seq) table.putMember({ ...member, seq: seq - 1 });
}

import type { GroupRow, LedgerTable } from "@dt/core/ledger";
import type { Ledger } from "../../../fleet/bugs/bug.ts";
import { onRows } from "../../../fleet/bugs/seams.ts";
import { TIMES } from "../plan.ts";
import type { SlotBug } from "./slot-bug.ts";

/** Faults of a store: each by its operations or its rows. */
export const STORE_BUGS: readonly SlotBug[] = [
  {
    name: "offer-not-on-record",
    what: "an offer is hinted, and the store does not record it",
    ledger: afterwards((table, before) => {
      for (const [incarnation, hint] of table.slots?.hints ?? [])
        if (hint.kind === "offer")
          setHeld(table, incarnation, Math.min(hint.held, before.get(incarnation) ?? hint.held));
    }),
  },
  {
    name: "offered-twice",
    what: "what is offered to one member is offered to the next one as well",
    ledger: afterwards((table, before) => {
      const offers = (table.slots?.hints ?? []).filter(
        ([incarnation, hint]) => hint.kind === "offer" && hint.held > (before.get(incarnation) ?? hint.held),
      );
      const [first] = offers;
      const next = table.slots?.queued(2).find(({ incarnation }) => incarnation !== first?.[0]);
      if (first?.[1].kind !== "offer" || !next) return;
      table.slots?.hint(next.incarnation, { ...first[1], held: next.held + 1, seq: next.seq });
    }),
  },
  {
    name: "offered-beyond-free",
    what: "a member that waits is offered a slot, on record, although none is free",
    ledger: afterwards((table, before) => {
      const first = table.slots?.queued(2).find(({ incarnation }) => before.has(incarnation));
      const group = table.group();
      if (!first || !group || group.lastMs < group.learnUntilMs || group.held !== group.capacity) return;
      setHeld(table, first.incarnation, first.held + 1);
      const offer = { kind: "offer", held: first.held + 1, seq: first.seq, waterLevel: 1, wanted: true } as const;
      table.slots?.hint(first.incarnation, offer);
    }),
  },
  {
    name: "ask-lowers-the-record",
    what: "what a member is asked for is free at once, before it has given it back",
    ledger: afterwards((table, before) => {
      for (const [incarnation, hint] of table.slots?.hints ?? [])
        if (hint.kind === "ask" && before.has(incarnation))
          setHeld(table, incarnation, Math.max(0, (table.member(incarnation)?.held ?? 0) - hint.give));
    }),
  },
  {
    name: "removed-while-valid",
    what: "a member is removed after 4.5 s without a heartbeat, while its slots are valid",
    ledger: registering((registration) => ({ ...registration, staleAfterMs: 4_500 })),
  },
  {
    name: "no-learning",
    what: "a group whose data was lost hands out slots at once",
    ledger: onRows((table) => ({
      group: () => {
        const row = table.group();
        return row && { ...row, learnUntilMs: 0 };
      },
    })),
  },
  {
    name: "old-report-lowers",
    what: "a report that comes late lowers what a newer one has left",
    ledger: (ledger) => ({
      ...ledger,
      sync: (table, ref, report, clockMs) => {
        const { seq = 0, held = 0 } = table.member(ref.incarnation) ?? {};
        if (report.seq < seq && report.held < held) setHeld(table, ref.incarnation, report.held);
        return ledger.sync(table, ref, report, clockMs);
      },
    }),
  },
  {
    name: "restart-frees-the-slots-before",
    what: "a process that starts under the id of one that died takes the place of its row",
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, clockMs, ...rest) => {
        const before = table.holderOf(registration.id);
        if (before && before.incarnation !== registration.incarnation)
          ledger.deregister(table, before, { seq: before.seq + 1, level: null }, clockMs);
        return ledger.register(table, registration, clockMs, ...rest);
      },
    }),
  },
  {
    name: "learns-for-a-second",
    what: "a group learns for 1 s only after a loss of data",
    ledger: registering((registration) => ({ ...registration, learningMs: TIMES.syncInterval })),
  },
];

/** What the members held before an operation, but for the one that called. */
type Before = ReadonlyMap<string, number>;

/** The real operations, and then what `spoil` makes of the rows and hints. */
function afterwards(spoil: (table: LedgerTable, before: Before) => void): NonNullable<SlotBug["ledger"]> {
  const spoiled = <Answer>(table: LedgerTable, caller: string, run: () => Answer): Answer => {
    const rows = table.slots?.mostHeld(Number.POSITIVE_INFINITY) ?? [];
    const others = rows.filter(({ incarnation }) => incarnation !== caller);
    const before = new Map(others.map(({ incarnation }) => [incarnation, table.member(incarnation)?.held ?? 0]));
    const answer = run();
    spoil(table, before);
    return answer;
  };
  return (ledger): Ledger => ({
    register: (table, said, ...times) => spoiled(table, said.incarnation, () => ledger.register(table, said, ...times)),
    sync: (table, ref, ...said) => spoiled(table, ref.incarnation, () => ledger.sync(table, ref, ...said)),
    deregister: (table, ref, ...said) => spoiled(table, ref.incarnation, () => ledger.deregister(table, ref, ...said)),
  });
}

/** A member holds so many slots by the record. */
function setHeld(table: LedgerTable, incarnation: string, held: number): void {
  const [group, member] = [table.group() as GroupRow, table.member(incarnation)];
  if (!member) return;
  table.putGroup({ ...group, held: group.held + held - member.held });
  table.putMember({ ...member, held });
  const row = table.slots?.slotsOf(incarnation);
  if (row) table.slots?.putSlots({ ...row, held });
}

function registering(
  change: (registration: Parameters<Ledger["register"]>[1]) => Parameters<Ledger["register"]>[1],
): NonNullable<SlotBug["ledger"]> {
  return (ledger) => ({
    ...ledger,
    register: (table, registration, ...times) => ledger.register(table, change(registration), ...times),
  });
}

import type { MemberView } from "@dt/core";
import type { GroupRow } from "@dt/core/ledger";
import type { Mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup, patchTimes, patchView } from "./rows.ts";
import { wallClockErrorMs } from "./wall-clock-error.ts";

/** A table that gives out its group's row with parts written over. */
function tableWith(change: (row: GroupRow) => Partial<GroupRow>): () => PlainTable {
  return () =>
    new (class extends PlainTable {
      override group(): GroupRow | undefined {
        const row = super.group();
        return row && { ...row, ...change(row) };
      }
    })();
}

/** R2: whose time, and which way it goes. */
export const timeMutants: readonly Mutant[] = [
  {
    name: "every client brings its own clock, and they are an hour apart",
    rule: "R2",
    flaw: { clock: (nowMs, client) => nowMs + (client % 3) * 3_600_000 },
  },
  {
    name: "the store takes its caller's wall clock (Date.now)",
    rule: "R2",
    flaw: { clock: (nowMs) => nowMs + wallClockErrorMs() },
  },
  {
    name: "the clock is read before the wait for the group's lock",
    rule: "R2",
    flaw: { transactions: { readsClockEarly: true } },
  },
  {
    name: "the clock is read before the wait for the group's lock, which calls get in any order, and inspect too",
    rule: "R2",
    flaw: { transactions: { readsClockEarly: true, unfair: true, inspectLocks: true } },
  },
  {
    name: "store time stands still",
    rule: "R2",
    flaw: { clock: () => 1_700_000_000_000 },
  },
  {
    name: "store time is answered in seconds",
    rule: "R2",
    flaw: {
      register: ({ table }, proceed) => patchTimes(table, proceed(), inSeconds),
      sync: ({ table }, proceed) => patchTimes(table, proceed(), inSeconds),
    },
  },
  {
    name: "answers give a time from before the one answered last",
    rule: "R2",
    flaw: {
      sync: ({ request, table }, proceed) =>
        patchTimes(table, proceed(), (view) => ({ storeTimeMs: view.storeTimeMs - (request.seq % 2) * 80 })),
    },
  },
  {
    name: "the group's time follows the clock when it is set back",
    rule: "R2",
    flaw: { table: tableWith(() => ({ lastMs: 0, offsetMs: 0, lapsedMs: 0, quietLimitMs: Number.POSITIVE_INFINITY })) },
  },
  {
    name: "a stretch in which nobody called counts as everybody's silence",
    rule: "R2",
    flaw: { table: tableWith(() => ({ quietLimitMs: Number.POSITIVE_INFINITY })) },
  },
  {
    name: "the time that a survivor was answered before is ignored",
    rule: "R2",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }) },
  },
  {
    name: "the time that a report has observed is ignored",
    rule: "R2",
    flaw: { sync: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }) },
  },
  {
    name: "the time that a farewell has observed is ignored",
    rule: "R2",
    flaw: { deregister: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }) },
  },
  {
    name: "the time that a member has observed counts however far ahead it is",
    rule: "R2",
    flaw: {
      sync: ({ table, request, nowMs }, proceed) => {
        const observedMs = request.observedMs ?? 0;
        patchGroup(table, (row) => ({ offsetMs: Math.max(row.offsetMs, observedMs - nowMs) }));
        return proceed();
      },
    },
  },
  {
    name: "the group's age does not grow",
    rule: "R2",
    flaw: { sync: (_, proceed) => patchView(proceed(), () => ({ groupAgeMs: 0 })) },
  },
];

function inSeconds({ storeTimeMs }: MemberView): Pick<MemberView, "storeTimeMs"> {
  return { storeTimeMs: Math.floor(storeTimeMs / 1_000) };
}

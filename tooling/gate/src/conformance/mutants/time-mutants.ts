import type { MemberView } from "@dt/core";
import type { GroupRow } from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup, patchTimes, patchView } from "./rows.ts";
import { wallClockErrorMs } from "./wall-clock-error.ts";

/** A table that gives out its group's row with parts written over. */
function tableWith(change: (row: GroupRow) => Partial<GroupRow>): new () => PlainTable {
  return class extends PlainTable {
    override group(): GroupRow | undefined {
      const row = super.group();
      return row && { ...row, ...change(row) };
    }
  };
}

/** R2: whose time, and which way it goes. */
export const timeMutants: readonly Mutant[] = [
  mutant("every client brings its own clock, and they are an hour apart", "R2", {
    clock: (nowMs, client) => nowMs + (client % 3) * 3_600_000,
  }),
  mutant("the store takes its caller's wall clock (Date.now)", "R2", { clock: (nowMs) => nowMs + wallClockErrorMs() }),
  mutant("the clock is read before the wait for the group's lock", "R2", { transactions: { readsClockEarly: true } }),
  mutant(
    "the clock is read before the wait for the group's lock, which calls get in any order, and inspect too",
    "R2",
    { transactions: { readsClockEarly: true, unfair: true, inspectLocks: true } },
  ),
  mutant("store time stands still", "R2", { clock: () => 1_700_000_000_000 }),
  mutant("store time is answered in seconds", "R2", {
    register: ({ table }, proceed) => patchTimes(table, proceed(), inSeconds),
    sync: ({ table }, proceed) => patchTimes(table, proceed(), inSeconds),
  }),
  mutant("answers give a time from before the one answered last", "R2", {
    sync: ({ request, table }, proceed) =>
      patchTimes(table, proceed(), (view) => ({ storeTimeMs: view.storeTimeMs - (request.seq % 2) * 80 })),
  }),
  mutant("the group's time follows the clock when it is set back", "R2", {
    table: tableWith(() => ({ lastMs: 0, offsetMs: 0, lapsedMs: 0, quietLimitMs: Number.POSITIVE_INFINITY })),
  }),
  mutant("a stretch in which nobody called counts as everybody's silence", "R2", {
    table: tableWith(() => ({ quietLimitMs: Number.POSITIVE_INFINITY })),
  }),
  mutant("the time that a survivor was answered before is ignored", "R2", {
    register: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }),
  }),
  mutant("the time that a report has observed is ignored", "R2", {
    sync: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }),
  }),
  mutant("the time that a farewell has observed is ignored", "R2", {
    deregister: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }),
  }),
  mutant("the time that a member has observed counts however far ahead it is", "R2", {
    sync: ({ table, request, nowMs }, proceed) => {
      const observedMs = request.observedMs ?? 0;
      patchGroup(table, (row) => ({ offsetMs: Math.max(row.offsetMs, observedMs - nowMs) }));
      return proceed();
    },
  }),
  mutant("the group's age does not grow", "R2", {
    sync: (_, proceed) => patchView(proceed(), () => ({ groupAgeMs: 0 })),
  }),
];

function inSeconds({ storeTimeMs }: MemberView): Pick<MemberView, "storeTimeMs"> {
  return { storeTimeMs: Math.floor(storeTimeMs / 1_000) };
}

import type { GroupRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { answering, changed } from "./answering.ts";
import { type Mutant, mutant, type Operation } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { newestEpoch, patchGroup, patchMember } from "./rows.ts";

type Timed = Operation<{ readonly observedMs?: number }>;

/** R20: where nobody can know what was used; and from when an exact split may be. */
export const startAfreshMutants: readonly Mutant[] = [
  mutant("what a removed member held may be used at once", "R20", {
    register: (operation, proceed) => {
      removeStale(operation, 0, newestEpoch);
      return proceed();
    },
    sync: (operation, proceed) => {
      removeStale(operation, 0, newestEpoch);
      return proceed();
    },
  }),
  mutant("what a removed member held was used by the store's clock, however far clocks may be off", "R20", {
    sync: (operation, proceed) => {
      removeStale(operation, 1e9, ({ table }) => {
        const row = table.group() as GroupRow;
        return Math.floor(row.lastMs / row.intervalMs);
      });
      return proceed();
    },
  }),
  mutant("a group that everybody left forgets what was used", "R20", {
    deregister: ({ table }, proceed) => {
      proceed();
      patchGroup(table, ({ poolSize }) => (poolSize === 0 ? { freedEpoch: 0, spent: 0 } : {}));
    },
  }),
  mutant("a capacity that a report raised may be used at once", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const member = table.member(ref.incarnation);
      const others = table.members().filter(({ incarnation }) => incarnation !== ref.incarnation);
      const capacity = Math.min(request.max, ...others.map(({ max }) => max));
      if (member && capacity > (table.row?.capacity ?? 0)) {
        patchMember(table, ref.incarnation, { max: request.max });
        patchGroup(table, ({ generation, lastMs }) => ({
          capacity,
          generation: Math.max(generation + 1, Math.floor(lastMs)),
          adopted: 0,
        }));
      }
      return proceed();
    },
  }),
  mutant("a capacity that is larger once somebody left may be used at once", "R20", {
    deregister: ({ table }, proceed) => {
      const before = table.group();
      proceed();
      patchGroup(table, ({ capacity }) =>
        before && capacity > before.capacity ? { freedEpoch: before.freedEpoch, spent: before.spent } : {},
      );
    },
  }),
  mutant("one that joins again has used no more than it claims", "R20", {
    register: ({ request }, proceed) => proceed({ ...request, rejoin: false }),
  }),
  mutant("one that joins again may have used anything, also where it is on record", "R20", {
    register: (operation, proceed) => {
      const { table, ref, request } = operation;
      if (request.rejoin && table.member(ref.incarnation))
        patchGroup(table, () => ({ freedEpoch: newestEpoch(operation), spent: 1e9 }));
      return proceed();
    },
  }),
  mutant("a group that has learned goes on as if nothing had been used", "R20", {
    register: (operation, proceed) => {
      forgive(operation, () => true);
      return proceed();
    },
    sync: (operation, proceed) => {
      forgive(operation, () => true);
      return proceed();
    },
  }),
  mutant("those whom a repair forgot have used nothing", "R20", {
    register: (operation, proceed) => {
      forgive(operation, ({ repairs }) => repairs > 0);
      return proceed();
    },
    sync: (operation, proceed) => {
      forgive(operation, ({ repairs }) => repairs > 0);
      return proceed();
    },
  }),
  mutant("what is held is counted anew, and was not used where that was recorded wrongly", "R20", {
    register: ({ table }, proceed) => {
      patchGroup(table, ({ held }) => ({ held: table.count()?.held ?? held }));
      return proceed();
    },
  }),
  mutant("another interval leaves the number of the epoch in which tokens became free", "R20", {
    register: ({ table, request }, proceed) => {
      patchGroup(table, ({ poolSize, intervalMs }) => ({
        intervalMs: poolSize === 0 ? request.intervalMs : intervalMs,
      }));
      return proceed();
    },
  }),
  mutant("the first tokens of a group in old data may be used from the next epoch on", "R20", {
    capabilities: { dataAge: true },
    register: ({ table }, proceed) => {
      const isNew = table.row === undefined;
      const { intervalMs } = table.row ?? { intervalMs: 0 };
      return changed(proceed(), ({ storeTimeMs, clockErrorMs }) => {
        const length = table.row?.intervalMs ?? intervalMs;
        return isNew ? { early: 0, fromEpoch: ledger.firstSafeEpoch(storeTimeMs, clockErrorMs, length) } : {};
      });
    },
  }),
  mutant(
    "on agree the exact split may be used an epoch too early",
    "R20",
    answering(({ status, fromEpoch }) => (status === "agree" ? { fromEpoch: fromEpoch - 1 } : {})),
  ),
  mutant("who adopts has used nothing of the split before", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      return proceed(request.held < held ? request : { ...request, use: { epoch: 0, used: 0 } });
    },
  }),
  mutant("who adopts without a word has used nothing of the split before", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      return proceed(request.use || request.held < held ? request : { ...request, use: { epoch: 0, used: 0 } });
    },
  }),
];

/** The group's row as its clock will have it. */
function advanced({ table, nowMs, request }: Timed): GroupRow | undefined {
  const row = table.group();
  if (row) ledger.advanceClock(row, nowMs, request.observedMs);
  return row;
}

/** Members that the operation is about to remove leave before it, and say so much of their use. */
function removeStale(operation: Timed, used: number, epochOf: (operation: Timed) => number): void {
  const { table, ref, nowMs } = operation;
  const row = advanced(operation);
  if (!row) return;
  for (const member of table.expired(ledger.livenessTime(row))) {
    if (member.incarnation === ref.incarnation) continue;
    const use = { epoch: epochOf(operation), used };
    ledger.deregister(table, member, { seq: member.seq + 1, level: null, use }, nowMs);
  }
}

/** What is not known counts as unused, instead of used, once a group has learned. */
function forgive(operation: Timed, accepts: (row: GroupRow) => boolean): void {
  const row = advanced(operation);
  if (row && row.freedEpoch === null && !ledger.isLearning(row) && accepts(row))
    patchGroup(operation.table as PlainTable, () => ({ freedEpoch: 0, spent: 0 }));
}

import type { GroupRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { changed } from "./answering.ts";
import { type Mutant, mutant, type Operation } from "./flaw.ts";
import { newestEpoch } from "./rows.ts";

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

import type { GroupRow, MemberRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";

/** A table that finds other members stale than it should. */
function tableWhere(expired: (table: PlainTable, livenessMs: number) => readonly MemberRow[]): new () => PlainTable {
  return class extends PlainTable {
    override expired(livenessMs: number): readonly MemberRow[] {
      return expired(this, livenessMs);
    }
  };
}

/** R4: who is removed, and when. */
export const stalenessMutants: readonly Mutant[] = [
  mutant("a quiet stretch counts by the smallest stale age that was ever registered", "R2", {
    table: class extends PlainTable {
      #smallestMs = Number.POSITIVE_INFINITY;

      override putMember(row: MemberRow): void {
        this.#smallestMs = Math.min(this.#smallestMs, row.staleAfterMs);
        super.putMember(row);
      }

      override group(): GroupRow | undefined {
        const row = super.group();
        return row && { ...row, quietLimitMs: this.#smallestMs / 4 };
      }
    },
  }),
  mutant("stale members are never removed", "R4", { table: tableWhere(() => []) }),
  mutant("a member that is late is removed by its own call", "R4", {
    sync: ({ table, ref, nowMs }, proceed) => {
      const row = table.group();
      const member = table.member(ref.incarnation);
      if (row && member && member.standing !== "fenced" && nowMs + row.offsetMs - row.lapsedMs >= member.expiresAtMs) {
        ledger.deregister(table, ref, { seq: 0, level: null }, nowMs);
      }
      return proceed();
    },
  }),
  mutant("a sync is no heartbeat", "R4", {
    sync: ({ table, ref }, proceed) => {
      const before = table.member(ref.incarnation);
      const view = proceed();
      const after = table.member(ref.incarnation);
      if (before && after) table.putMember({ ...after, expiresAtMs: before.expiresAtMs });
      return view;
    },
  }),
  mutant("a registration of a member is no heartbeat", "R4", {
    register: ({ table, ref }, proceed) => {
      const before = table.member(ref.incarnation);
      const view = proceed();
      const after = table.member(ref.incarnation);
      if (before && after) table.putMember({ ...after, expiresAtMs: before.expiresAtMs });
      return view;
    },
  }),
];

import type { GroupRow, MemberRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup } from "./rows.ts";

/** A table that finds other members stale than it should. */
function tableWhere(expired: (table: PlainTable, livenessMs: number) => readonly MemberRow[]): new () => PlainTable {
  return class extends PlainTable {
    override expired(livenessMs: number): readonly MemberRow[] {
      return expired(this, livenessMs);
    }
  };
}

function overdue(table: PlainTable, livenessMs: number): readonly MemberRow[] {
  return table.members().filter((row) => row.expiresAtMs <= livenessMs);
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
  mutant("members are removed after half their stale age", "R4", {
    table: tableWhere((table, livenessMs) =>
      table.members().filter((row) => row.expiresAtMs - row.staleAfterMs / 2 <= livenessMs),
    ),
  }),
  mutant("members are removed after twice their stale age", "R4", {
    table: tableWhere((table, livenessMs) =>
      table.members().filter((row) => row.expiresAtMs + row.staleAfterMs <= livenessMs),
    ),
  }),
  mutant("the smallest stale age in the group counts for everybody", "R4", {
    table: tableWhere((table, livenessMs) => {
      const smallest = Math.min(...table.members().map((row) => row.staleAfterMs));
      return table.members().filter((row) => row.expiresAtMs - row.staleAfterMs + smallest <= livenessMs);
    }),
  }),
  mutant("one stale member is removed by each call, and only of those that joined first", "R4", {
    table: tableWhere((table, livenessMs) => overdue(table, livenessMs).filter((row) => row.rank === 0)),
  }),
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
  mutant("what a removed member held stays held", "R4", {
    // Or the next change of membership would make it good.
    table: class extends PlainTable {
      override count(): undefined {
        return undefined;
      }
    },
    sync: ({ table, nowMs }, proceed) => {
      const row = table.group();
      const lost = row
        ? overdue(table, nowMs + row.offsetMs - row.lapsedMs).reduce((sum, member) => sum + member.held, 0)
        : 0;
      patchGroup(table, (group) => ({ held: group.held + lost }));
      return proceed();
    },
  }),
  mutant("inspect keeps members alive that only syncs should", "R4", {
    inspect: (snapshot, table) => {
      for (const member of table.members()) table.putMember({ ...member, expiresAtMs: member.expiresAtMs + 60_000 });
      return snapshot;
    },
  }),
];

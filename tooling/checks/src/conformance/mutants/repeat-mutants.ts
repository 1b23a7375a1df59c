import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchMember, setHeld } from "./rows.ts";

/** Remembers every level, whatever the member asked for. */
class LongMemory extends PlainTable {
  override rememberLevel(id: string, level: number): void {
    this.levels.set(id, { level, untilMs: Number.POSITIVE_INFINITY });
  }
}

/** A table that changes each level that it remembers. */
function tableThatRemembers(change: (level: number) => number | undefined): new () => PlainTable {
  return class extends PlainTable {
    override rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
      const changed = change(level);
      if (changed !== undefined) super.rememberLevel(id, changed, untilMs, nowMs);
    }
  };
}

/** R11, R13: repeats and levels. */
export const repeatMutants: readonly Mutant[] = [
  mutant("a late report counts as a heartbeat", "R11", {
    sync: ({ table, ref, request, nowMs }, proceed) => {
      const view = proceed();
      const member = table.member(ref.incarnation);
      if (member && request.seq <= member.seq)
        patchMember(table, ref.incarnation, { expiresAtMs: nowMs + member.staleAfterMs });
      return view;
    },
  }),
  mutant("a late report is answered as unknown", "R11", {
    sync: ({ table, ref, request, nowMs }, proceed) => {
      const member = table.member(ref.incarnation);
      return member && request.seq <= member.seq ? { status: "unknown", storeTimeMs: nowMs } : proceed();
    },
  }),
  mutant("a registration that arrives twice makes two members", "R11", {
    register: ({ table, ref, request }, proceed) => {
      const known = table.member(ref.incarnation);
      if (!known || known.seq !== request.seq) return proceed();
      return proceed({ ...request, incarnation: `${ref.incarnation} again`, id: `${ref.id} again` });
    },
  }),
  mutant("a late registration sets what its member holds to the claim", "R11", {
    register: ({ table, ref, request }, proceed) => {
      const known = table.member(ref.incarnation);
      if (known && known.standing !== "fenced") setHeld(table, ref.incarnation, request.claim);
      return proceed();
    },
  }),
  mutant("a registration of a member raises the generation", "R5", {
    register: ({ table, ref, nowMs }, proceed) => {
      if (table.member(ref.incarnation)) ledger.deregister(table, ref, { seq: 0, level: null }, nowMs);
      return proceed();
    },
  }),
  mutant("levels are remembered for ever", "R13", { table: LongMemory }),
  mutant("a level of zero counts as none", "R13", { table: tableThatRemembers((level) => level || undefined) }),
  mutant("the level of a member that crashed is forgotten", "R13", {
    sync: ({ request }, proceed) => proceed({ ...request, level: null }),
  }),
  mutant("another interval is accepted", "R14", {
    register: ({ table, request }, proceed) =>
      proceed({ ...request, intervalMs: table.group()?.intervalMs ?? request.intervalMs }),
  }),
  mutant("the first interval is the group's for ever", "R14", {
    register: ({ table, request }, proceed) => {
      const row = table.group();
      if (row && row.intervalMs !== request.intervalMs)
        throw ledger.intervalMismatch(row.intervalMs, request.intervalMs);
      return proceed();
    },
  }),
];

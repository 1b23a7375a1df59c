import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchMember, patchView, setHeld } from "./rows.ts";

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
  mutant("the order of requests is ignored", "R11", {
    sync: ({ table, ref, request }, proceed) => {
      const last = table.member(ref.incarnation)?.seq ?? 0;
      return proceed({ ...request, seq: Math.max(request.seq, last + 1) });
    },
  }),
  mutant("a late report lowers what its member holds", "R11", {
    sync: ({ table, ref, request }, proceed) => {
      const member = table.member(ref.incarnation);
      if (member && member.standing !== "fenced" && request.seq < member.seq)
        setHeld(table, ref.incarnation, Math.min(member.held, request.held));
      return proceed();
    },
  }),
  mutant("a late report counts as a heartbeat", "R11", {
    sync: ({ table, ref, request, nowMs }, proceed) => {
      const view = proceed();
      const member = table.member(ref.incarnation);
      if (member && request.seq <= member.seq)
        patchMember(table, ref.incarnation, { expiresAtMs: nowMs + member.staleAfterMs });
      return view;
    },
  }),
  mutant("a late report is answered, but never raised", "R11", {
    sync: ({ table, ref, request }, proceed) => {
      const before = table.member(ref.incarnation);
      const view = proceed();
      if (!before || before.standing === "fenced" || request.seq > before.seq) return view;
      setHeld(table, ref.incarnation, before.held);
      return view.status === "disagree" ? patchView(view, () => ({ held: before.held })) : view;
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
  mutant("levels are not remembered", "R13", { table: tableThatRemembers(() => undefined) }),
  mutant("levels are remembered for ever", "R13", { table: LongMemory }),
  mutant("a level of zero counts as none", "R13", { table: tableThatRemembers((level) => level || undefined) }),
  mutant("levels are kept as whole numbers", "R13", { table: tableThatRemembers(Math.floor) }),
  mutant("the level of a member that crashed is forgotten", "R13", {
    sync: ({ request }, proceed) => proceed({ ...request, level: null }),
  }),
  mutant("a level is remembered for the next one that joins, whoever it is", "R13", {
    table: class extends PlainTable {
      override rememberLevel(_: string, level: number, untilMs: number, nowMs: number): void {
        super.rememberLevel("", level, untilMs, nowMs);
      }
      override rememberedLevel(_: string, nowMs: number): number | undefined {
        return super.rememberedLevel("", nowMs);
      }
    },
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

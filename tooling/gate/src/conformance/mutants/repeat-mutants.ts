import * as ledger from "@dt/core/ledger";
import type { Mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchMember, patchView, setHeld } from "./rows.ts";

/** Remembers every level, whatever the member asked for. */
class LongMemory extends PlainTable {
  override rememberLevel(id: string, level: number): void {
    this.levels.set(id, { level, untilMs: Number.POSITIVE_INFINITY });
  }
}

/** A table that changes each level that it remembers. */
function tableThatRemembers(change: (level: number) => number | undefined): () => PlainTable {
  return () =>
    new (class extends PlainTable {
      override rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
        const changed = change(level);
        if (changed !== undefined) super.rememberLevel(id, changed, untilMs, nowMs);
      }
    })();
}

/** R11, R13: repeats and levels. */
export const repeatMutants: readonly Mutant[] = [
  {
    name: "the order of requests is ignored",
    rule: "R11",
    flaw: {
      sync: ({ table, ref, request }, proceed) => {
        const last = table.member(ref.incarnation)?.seq ?? 0;
        return proceed({ ...request, seq: Math.max(request.seq, last + 1) });
      },
    },
  },
  {
    name: "a late report lowers what its member holds",
    rule: "R11",
    flaw: {
      sync: ({ table, ref, request }, proceed) => {
        const member = table.member(ref.incarnation);
        if (member && member.standing !== "fenced" && request.seq < member.seq)
          setHeld(table, ref.incarnation, Math.min(member.held, request.held));
        return proceed();
      },
    },
  },
  {
    name: "a late report counts as a heartbeat",
    rule: "R11",
    flaw: {
      sync: ({ table, ref, request, nowMs }, proceed) => {
        const view = proceed();
        const member = table.member(ref.incarnation);
        if (member && request.seq <= member.seq)
          patchMember(table, ref.incarnation, { expiresAtMs: nowMs + member.staleAfterMs });
        return view;
      },
    },
  },
  {
    name: "a late report is answered, but never raised",
    rule: "R11",
    flaw: {
      sync: ({ table, ref, request }, proceed) => {
        const before = table.member(ref.incarnation);
        const view = proceed();
        if (!before || before.standing === "fenced" || request.seq > before.seq) return view;
        setHeld(table, ref.incarnation, before.held);
        return view.status === "disagree" ? patchView(view, () => ({ held: before.held })) : view;
      },
    },
  },
  {
    name: "a late report is answered as unknown",
    rule: "R11",
    flaw: {
      sync: ({ table, ref, request, nowMs }, proceed) => {
        const member = table.member(ref.incarnation);
        return member && request.seq <= member.seq ? { status: "unknown", storeTimeMs: nowMs } : proceed();
      },
    },
  },
  {
    name: "a registration that arrives twice makes two members",
    rule: "R11",
    flaw: {
      register: ({ table, ref, request }, proceed) => {
        const known = table.member(ref.incarnation);
        if (!known || known.seq !== request.seq) return proceed();
        return proceed({ ...request, incarnation: `${ref.incarnation} again`, id: `${ref.id} again` });
      },
    },
  },
  {
    name: "a late registration sets what its member holds to the claim",
    rule: "R11",
    flaw: {
      register: ({ table, ref, request }, proceed) => {
        const known = table.member(ref.incarnation);
        if (known && known.standing !== "fenced") setHeld(table, ref.incarnation, request.claim);
        return proceed();
      },
    },
  },
  {
    name: "a registration of a member raises the generation",
    rule: "R5",
    flaw: {
      register: ({ table, ref, nowMs }, proceed) => {
        if (table.member(ref.incarnation)) ledger.deregister(table, ref, { seq: 0, level: null }, nowMs);
        return proceed();
      },
    },
  },
  { name: "levels are not remembered", rule: "R13", flaw: { table: tableThatRemembers(() => undefined) } },
  { name: "levels are remembered for ever", rule: "R13", flaw: { table: () => new LongMemory() } },
  {
    name: "a level of zero counts as none",
    rule: "R13",
    flaw: { table: tableThatRemembers((level) => level || undefined) },
  },
  { name: "levels are kept as whole numbers", rule: "R13", flaw: { table: tableThatRemembers(Math.floor) } },
  {
    name: "the level of a member that crashed is forgotten",
    rule: "R13",
    flaw: { sync: ({ request }, proceed) => proceed({ ...request, level: null }) },
  },
  {
    name: "a level is remembered for the next one that joins, whoever it is",
    rule: "R13",
    flaw: {
      table: () =>
        new (class extends PlainTable {
          override rememberLevel(_: string, level: number, untilMs: number, nowMs: number): void {
            super.rememberLevel("", level, untilMs, nowMs);
          }
          override rememberedLevel(_: string, nowMs: number): number | undefined {
            return super.rememberedLevel("", nowMs);
          }
        })(),
    },
  },
  {
    name: "another interval is accepted",
    rule: "R14",
    flaw: {
      register: ({ table, request }, proceed) =>
        proceed({ ...request, intervalMs: table.group()?.intervalMs ?? request.intervalMs }),
    },
  },
  {
    name: "the first interval is the group's for ever",
    rule: "R14",
    flaw: {
      register: ({ table, request }, proceed) => {
        const row = table.group();
        if (row && row.intervalMs !== request.intervalMs)
          throw ledger.intervalMismatch(row.intervalMs, request.intervalMs);
        return proceed();
      },
    },
  },
];

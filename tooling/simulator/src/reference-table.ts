import {
  checkLimitHead,
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type LimitRecordHead,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
  smallestMaxOf,
} from "@dt/core/ledger";
import { ReferenceSlots } from "./reference-slots.ts";

/**
 * A group's rows in plain maps, as obvious as can be: what other tables are compared with, and what broken stores are
 * made of. Stale members come in the order of their expiry.
 */
export class ReferenceTable implements LedgerTable {
  readonly slots: ReferenceSlots = new ReferenceSlots();
  row: GroupRow | undefined;
  readonly rows = new Map<string, MemberRow>();
  /** The group's limit record. */
  record: LimitRecordHead | undefined;
  readonly levels = new Map<string, { readonly level: number; readonly untilMs: number }>();

  group(): GroupRow | undefined {
    return this.row && { ...this.row };
  }

  putGroup(row: GroupRow): void {
    this.row = { ...row };
  }

  member(incarnation: string): MemberRow | undefined {
    const row = this.rows.get(incarnation);
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    this.rows.set(row.incarnation, { ...row });
  }

  deleteMember(row: MemberRow): void {
    this.rows.delete(row.incarnation);
    this.slots.rows.delete(row.incarnation);
  }

  holderOf(id: string): MemberRow | undefined {
    return this.members().find((row) => row.id === id && row.standing === "holder");
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.members().find((row) => row.rank === rank);
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.members()
      .filter((row) => row.expiresAtMs <= livenessMs)
      .sort((a, b) => a.expiresAtMs - b.expiresAtMs || (a.incarnation < b.incarnation ? -1 : 1))
      .slice(0, PRUNE_LIMIT);
  }

  smallestMax(): number | undefined {
    return smallestMaxOf(this.members());
  }

  hasStored(): boolean {
    return this.members().some(({ max }) => max === null);
  }

  limit(): LimitRecordHead | undefined {
    return this.record && checkLimitHead(this.record);
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.members());
  }

  count(): MemberCount | undefined {
    return countOf(this.members());
  }

  members(): MemberRow[] {
    return [...this.rows.keys()].map((name) => this.member(name) as MemberRow).sort((a, b) => a.rank - b.rank);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.levels) if (remembered.untilMs <= nowMs) this.levels.delete(other);
    this.levels.set(id, { level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }
}

import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
} from "@dt/core/ledger";

/** One group, kept as plainly as can be, so that a mutant is a small override. */
export class PlainTable implements LedgerTable {
  row: GroupRow | undefined;
  readonly rows = new Map<string, MemberRow>();
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
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#find((row) => row.id === id && row.standing === "holder");
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#find((row) => row.rank === rank);
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.members()
      .filter((row) => row.expiresAtMs <= livenessMs)
      .slice(0, PRUNE_LIMIT);
  }

  smallestMax(): number | undefined {
    return this.rows.size === 0 ? undefined : Math.min(...this.members().map((row) => row.max));
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.rows.values());
  }

  count(): MemberCount | undefined {
    return countOf(this.rows.values());
  }

  members(): readonly MemberRow[] {
    return [...this.rows.values()].map((row) => ({ ...row })).sort((a, b) => a.rank - b.rank);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.levels) if (remembered.untilMs <= nowMs) this.levels.delete(other);
    this.levels.set(id, { level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }

  clone(): PlainTable {
    const copy = new PlainTable();
    copy.become(this);
    return copy;
  }

  /** Takes over the content of another table. */
  become(other: PlainTable): void {
    this.row = other.group();
    this.rows.clear();
    for (const row of other.rows.values()) this.putMember(row);
    this.levels.clear();
    for (const [id, level] of other.levels) this.levels.set(id, level);
  }

  #find(matches: (row: MemberRow) => boolean): MemberRow | undefined {
    for (const row of this.rows.values()) if (matches(row)) return { ...row };
    return undefined;
  }
}

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

/**
 * A group's rows in plain maps, as obvious as can be: what other tables are compared with. Stale members come in the
 * order of their expiry.
 */
export class ReferenceTable implements LedgerTable {
  #group: GroupRow | undefined;
  readonly #members = new Map<string, MemberRow>();
  readonly #levels = new Map<string, { level: number; untilMs: number }>();

  group(): GroupRow | undefined {
    return this.#group && { ...this.#group };
  }

  putGroup(row: GroupRow): void {
    this.#group = { ...row };
  }

  member(incarnation: string): MemberRow | undefined {
    const row = this.#members.get(incarnation);
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    this.#members.set(row.incarnation, { ...row });
  }

  deleteMember(row: MemberRow): void {
    this.#members.delete(row.incarnation);
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
    return this.#members.size === 0 ? undefined : Math.min(...this.members().map((row) => row.max));
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.members());
  }

  count(): MemberCount {
    return countOf(this.members());
  }

  members(): MemberRow[] {
    return [...this.#members.values()].map((row) => ({ ...row })).sort((a, b) => a.rank - b.rank);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.#levels) if (remembered.untilMs <= nowMs) this.#levels.delete(other);
    this.#levels.set(id, { level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.#levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }
}

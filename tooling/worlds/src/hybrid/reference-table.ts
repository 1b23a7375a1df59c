import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
} from "@dt/core/ledger";

/** One group in plain maps, without any cleverness: what other tables are compared with. Stale is who is said to be. */
export class ReferenceTable implements LedgerTable {
  stale: readonly string[] = [];
  #group: GroupRow | undefined;
  readonly #members = new Map<string, MemberRow>();
  readonly #levels = new Map<string, { readonly level: number; readonly untilMs: number }>();

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

  expired(): readonly MemberRow[] {
    return this.stale.flatMap((incarnation) => this.member(incarnation) ?? []);
  }

  smallestMax(): number | undefined {
    const all = [...this.#members.values()].map(({ max }) => max);
    return all.length === 0 ? undefined : Math.min(...all);
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#members.values());
  }

  count(): MemberCount {
    return countOf(this.#members.values());
  }

  members(): readonly MemberRow[] {
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
